"""Tests of the tools as a user meets them: oshcc, info, doctor, and an installed tree.

Usage: tools_test.py --build DIR [unittest arguments]
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "docs"))
import check_links  # pylint: disable=wrong-import-position

BUILD = ""
USER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "user")


def run(*words, **options):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True,
                          timeout=120, **options)


def setting(**variables):
    return dict(os.environ, **variables)


class ToolTest(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="tools-test-")
        self.addCleanup(shutil.rmtree, self.folder)

    def good(self, *words, **options):
        result = run(*words, **options)
        self.assertEqual(result.returncode, 0, f"{words}\n{result.stdout}\n{result.stderr}")
        return result.stdout

    def tool(self, name):
        return os.path.join(BUILD, "bin", name)

    def path(self, name):
        return os.path.join(self.folder, name)


class Wrappers(ToolTest):
    def test_compile_and_run(self):
        for wrapper, source in (("oshcc", "ring.c"), ("oshc++", "ring.cpp"), ("oshCC", "ring.cpp"),
                                ("oshcxx", "ring.cpp")):
            for level in ("-O0", "-O2"):
                with self.subTest(wrapper=wrapper, level=level):
                    self.good(self.tool(wrapper), level, os.path.join(USER, source), "-o",
                              self.path("ring"))
                    self.assertEqual(self.good(self.tool("oshrun"), "-np", 3, self.path("ring")),
                                     "round\n")

    def test_in_steps(self):
        ring = os.path.join(USER, "ring.c")
        self.good(self.tool("oshcc"), "-c", ring, "-o", self.path("ring.o"))
        self.good(self.tool("oshcc"), self.path("ring.o"), "-o", self.path("ring"))
        self.assertEqual(self.good(self.tool("oshrun"), "-n", 2, self.path("ring")), "round\n")
        self.assertIn("shmem_init", self.good(self.tool("oshcc"), "-E", ring))
        own, *compilers = self.good(self.tool("oshcc"), "--help").split("\n\n")
        self.assertRegex(own, r"^oshcc: (.*\n)*  -profile .*\n  -show, .*\n(.*\n)*  -cc=COMPILER ")
        self.assertIn("-E", compilers[0])
        self.assertIn("shmem.h", self.good(self.tool("oshcc"), "-M", ring))
        self.good(self.tool("oshcc"), "-fPIC", "-shared", ring, "-o", self.path("libring.so"))
        self.good(self.tool("oshc++"), "-x", "c++", os.path.join(USER, "ring.cpp"), "-x", "none",
                  "-o", self.path("other"))
        two = self.path("two.c")
        with open(two, "w") as file:
            file.write("int two(void) { return 2; }\n")
        self.good(self.tool("oshcc"), ring, two, "-o", self.path("both"))

    def test_showme_as_open_mpi_has_it(self):
        version = self.good(self.tool("isthmus"), "--version").split()[1]
        for wrapper, language in (("oshcc", "C"), ("oshc++", "C++")):
            self.assertEqual(self.good(self.tool(wrapper), "-showme:version"),
                             f"{wrapper}: Isthmus {version} (Language: {language})\n")
        self.assertRegex(self.good(self.tool("oshcc"), "--showme:help"), r"^oshcc: (.*\n)*  -profile ")
        self.assertTrue(os.path.exists(self.good(self.tool("oshcc"), "-showme:incdirs").strip() + "/shmem.h"))

    def test_no_pie(self):
        report = json.loads(self.good(self.tool("isthmus"), "info", "--json"))
        if report["build"]["sanitizers"]:
            self.skipTest("the sanitizer's shadow lies where the window of a program at a fixed "
                          "address would be")
        self.good(self.tool("oshcc"), "-O2", "-no-pie", "-fno-pie", os.path.join(USER, "ring.c"),
                  "-o", self.path("ring"))
        self.assertEqual(self.good(self.tool("oshrun"), "-n", 3, self.path("ring")), "round\n")

    def test_another_compiler(self):
        result = run(self.tool("oshcc"), "x.c", env=setting(OSHCC_CC="no-such-compiler"))
        self.assertEqual(result.returncode, 1)
        self.assertIn("cannot run the compiler no-such-compiler", result.stderr)
        self.assertIn("set OSHCC_CC", result.stderr)
        shown = self.good(self.tool("oshc++"), "-show", "x.cpp",
                          env=setting(OSHCC_CXX="ccache other++"))
        self.assertTrue(shown.startswith("ccache other++ "), shown)

    def test_errors_of_the_compiler_come_through(self):
        bad = self.path("bad.c")
        with open(bad, "w") as file:
            file.write("int main(void) { return shmem_nonsense; }\n")
        result = run(self.tool("oshcc"), bad)
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("shmem_nonsense", result.stderr)

    def test_as_the_compiler_of_cmake(self):
        with open(self.path("CMakeLists.txt"), "w") as file:
            file.write("cmake_minimum_required(VERSION 3.20)\nproject(p LANGUAGES C CXX)\n"
                       "include(CheckFunctionExists)\n"
                       "check_function_exists(shmem_init HAVE_SHMEM)\n"
                       "if(NOT HAVE_SHMEM)\nmessage(FATAL_ERROR no)\nendif()\n"
                       f"add_executable(ring {USER}/ring.c)\n"
                       f"add_executable(ring_cpp {USER}/ring.cpp)\n")
        self.good("cmake", "-S", self.folder, "-B", self.path("b"),
                  f"-DCMAKE_C_COMPILER={self.tool('oshcc')}",
                  f"-DCMAKE_CXX_COMPILER={self.tool('oshc++')}")
        self.good("cmake", "--build", self.path("b"))
        for program in ("ring", "ring_cpp"):
            self.assertEqual(self.good(self.tool("oshrun"), "-n", 2, self.path("b/" + program)),
                             "round\n")


class Commands(ToolTest):
    def test_help_of_a_command(self):
        for command in ("run", "info", "doctor", "tune"):
            self.assertEqual(self.good(self.tool("isthmus"), "help", command),
                             self.good(self.tool("isthmus"), command, "--help"), command)
        self.assertEqual(self.good(self.tool("isthmus"), "help", "help"), self.good(self.tool("isthmus"), "help"))
        result = run(self.tool("isthmus"), "help", "rum")
        self.assertEqual(result.returncode, 2)
        self.assertIn("unknown command rum; did you mean run?", result.stderr)

    def test_info(self):
        report = json.loads(self.good(self.tool("isthmus"), "info", "--json",
                                      env=setting(SHMEM_SYMMETRIC_SIZE="3M", ISTHMUS_SPIN="7")))
        self.assertEqual(report["problems"], [])
        rows = {row["name"]: row for row in report["settings"]}
        self.assertEqual(rows["SHMEM_SYMMETRIC_SIZE"]["value"], "3M")
        self.assertEqual(rows["SHMEM_SYMMETRIC_SIZE"]["from"], "environment: SHMEM_SYMMETRIC_SIZE")
        self.assertEqual(rows["ISTHMUS_SPIN"]["value"], "7")
        self.assertEqual(rows["ISTHMUS_SPIN"]["default"], "2000")
        self.assertEqual(rows["ISTHMUS_BIND"]["from"], "default")
        self.assertEqual(report["chosen"]["symmetric_heap"]["bytes"], 3 << 20)
        self.assertEqual(report["chosen"]["transport"]["chosen"], "window")
        self.assertTrue(report["chosen"]["launcher_of_hosts"]["reason"])
        self.assertRegex(report["chosen"]["copy"], "vectors|memcpy")
        self.assertNotEqual(report["chosen"]["reduction"], "")
        self.assertEqual(report["build"]["library_version"], "Isthmus " + report["version"])
        text = self.good(self.tool("isthmus"), "info")
        for name in rows:
            self.assertIn(name, text)

    def test_standard_output_that_cannot_be_written(self):
        for words in (("info",), ("info", "--json"), ("doctor",), ("--version",)):
            with open("/dev/full", "w") as full:
                result = subprocess.run([self.tool("isthmus"), *words], stdout=full,
                                        stderr=subprocess.PIPE, text=True, check=False)
            self.assertEqual((result.returncode, result.stderr),
                             (1, "isthmus: cannot write standard output\n"), words)

    def test_heap_under_a_limit_of_address_space(self):
        """What info and doctor foretell is what a job does: the default heap shrinks."""
        limit = ["bash", "-c", 'ulimit -v 6000000; exec "$0" "$@"', self.tool("isthmus")]
        heap = json.loads(self.good(*limit, "info", "--json"))["chosen"]["symmetric_heap"]
        self.assertLess(heap["bytes"], 6000000 << 10)
        self.assertIn("cut to the limit of address space", heap["reason"])
        checks = {row["check"]: row for row in json.loads(
            run(*limit, "doctor", "--json").stdout)["checks"]}
        for name in ("address space limit", "window", "job"):
            self.assertEqual(checks[name]["result"], "ok", checks[name])

    def test_bytes_that_are_no_text(self):
        environment = setting(ISTHMUS_TRACE=b"a\xff".decode("utf-8", "surrogateescape"),
                              ISTHMUS_ARENA_SIZE="1G")
        report = json.loads(self.good(self.tool("isthmus"), "info", "--json", env=environment))
        rows = {row["name"]: row for row in report["settings"]}
        self.assertEqual(rows["ISTHMUS_ARENA_SIZE"]["bytes"], 1 << 30)
        json.loads(run(self.tool("isthmus"), "doctor", "--json", env=environment).stdout)

    def test_info_names_problems(self):
        report = json.loads(self.good(self.tool("isthmus"), "info", "--json",
                                      env=setting(ISTHMUS_SPINN="1", SMA_SYMMETRIC_SIZE="x")))
        self.assertEqual(len(report["problems"]), 2, report["problems"])
        self.assertIn("did you mean ISTHMUS_SPIN?", " ".join(report["problems"]))

    def test_doctor(self):
        result = run(self.tool("isthmus"), "doctor", "--json")
        report = json.loads(result.stdout)
        failed = [check for check in report["checks"] if check["result"] == "fail"]
        self.assertEqual((result.returncode, failed), (0, []))
        self.assertGreaterEqual(len(report["checks"]), 15)
        text = self.good(self.tool("isthmus"), "doctor", "-n", 3)
        self.assertRegex(text, r"topology +(1 core|\d*[02-9] cores|\d+1 cores) on (1 socket|\d*[02-9] sockets|\d+1 sockets)\n|"
                               r"topology +[^0-9]")
        self.assertIn("a program on 3 PEs ran and its puts arrived", text)

    def test_doctor_finds_faults(self):
        def failures(shell, **variables):
            result = run("sh", "-c", shell + '; exec "$0" doctor --json', self.tool("isthmus"),
                         env=setting(**variables))
            self.assertEqual(result.returncode, 1, result.stderr)
            for check in json.loads(result.stdout)["checks"]:
                if check["result"] == "fail":
                    self.assertTrue(check["advice"] or check["finding"].startswith("no "), check)
                    yield check["check"]

        self.assertIn("settings", failures(":", ISTHMUS_SPNI="1"))
        self.assertIn("file size limit", failures("ulimit -f 1000"))
        self.assertIn("compiler", failures(":", OSHCC_CC="false"))
        if not run(self.tool("isthmus"), "info", "--json").stdout.count('"sanitizers": ""'):
            self.skipTest("a sanitizer does not start under ulimit -v")
        self.assertIn("address space limit", failures("ulimit -v 8000000",
                                                        SHMEM_SYMMETRIC_SIZE="8G"))

    def test_doctor_looks_at_the_network(self):
        """In a network of its own, whose queues and packets are small."""
        own = ("unshare", "--net", "sh", "-c",
               "ip link add d0 type dummy && ip link set d0 mtu 1000 up && ip addr add 10.9.9.1/24 dev d0 &&"
               " echo '4096 8192 16384' > /proc/sys/net/ipv4/tcp_rmem")
        if run(*own).returncode != 0:
            self.skipTest("no network of its own")
        result = run(*own[:-1], own[-1] + ' && exec "$0" doctor --json', self.tool("isthmus"))
        seen = {check["check"]: check for check in json.loads(result.stdout)["checks"]}["network"]
        self.assertEqual(seen["result"], "warn")
        self.assertIn("MTU 1000 on d0", seen["finding"])
        self.assertIn("sysctl -w net.ipv4.tcp_rmem=", seen["advice"])
        self.assertIn("ip link set dev d0 mtu 1500", seen["advice"])

    def test_version_and_help(self):
        self.assertRegex(self.good(self.tool("isthmus"), "--version"), r"^isthmus \d+\.\d+\.\d+\n$")
        self.assertEqual(self.good(self.tool("oshrun"), "--version"),
                         self.good(self.tool("isthmus"), "version"))
        text = self.good(self.tool("isthmus"), "--help")
        for command in ("run", "info", "doctor", "bench", "sim", "gasnet"):
            self.assertIn(f"\n  {command} ", text)
            if command not in ("bench", "sim"):
                self.assertIn("--", self.good(self.tool("isthmus"), command, "--help"))
        self.assertEqual(run(self.tool("isthmus")).returncode, 2)
        self.assertEqual(run(self.tool("isthmus"), "walk").returncode, 2)
        self.assertEqual(run(self.tool("isthmus"), "info", "--yaml").returncode, 2)

    def test_missing_helper(self):
        # A copy of the tool without its neighbours.
        shutil.copy(self.tool("isthmus"), self.path("isthmus"))
        result = run(self.path("isthmus"), "bench", "one-host")
        self.assertEqual(result.returncode, 127)
        self.assertIn("isthmus-bench is not installed beside isthmus", result.stderr)
        with open(self.path("isthmus-bench"), "w") as file:
            file.write('#!/bin/sh\necho "$@"\nexit 3\n')
        os.chmod(self.path("isthmus-bench"), 0o755)
        result = run(self.path("isthmus"), "bench", "a b", "--quick")
        self.assertEqual((result.returncode, result.stdout), (3, "a b --quick\n"))
        shutil.copy(self.tool("oshcc"), self.path("oshcc"))
        result = run(self.path("oshcc"), "x.c")
        self.assertEqual(result.returncode, 1)
        self.assertIn("libisthmus.so was not found", result.stderr)


class Installed(ToolTest):
    def setUp(self):
        super().setUp()
        self.good("cmake", "--install", BUILD, "--prefix", self.path("first"))
        # Nothing may depend on where it was installed to.
        self.prefix = self.path("moved")
        os.rename(self.path("first"), self.prefix)

    def test_cmake_package(self):
        build = self.path("build")
        self.good("cmake", "-S", USER, "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}",
                  "-DCMAKE_BUILD_TYPE=Release")
        self.good("cmake", "--build", build)
        self.assertIn("100% tests passed", self.good("ctest", "--test-dir", build))

    def test_pkg_config(self):
        if not shutil.which("pkg-config"):
            self.skipTest("pkg-config is not installed")
        environment = setting(PKG_CONFIG_PATH=os.path.join(self.prefix, "lib", "pkgconfig"))
        flags = self.good("pkg-config", "--cflags", "--libs", "isthmus", env=environment).split()
        self.good("cc", "-O2", os.path.join(USER, "ring.c"), "-o", self.path("ring"), *flags)
        self.assertEqual(self.good(self.prefix + "/bin/oshrun", "-n", 3, self.path("ring")),
                         "round\n")
        flags = self.good("pkg-config", "--static", "--cflags", "--libs", "isthmus", env=environment).split()
        self.good("cc", "-O2", "-static", os.path.join(USER, "ring.c"), "-o", self.path("alone"), *flags)
        self.assertEqual(self.good(self.prefix + "/bin/oshrun", "-n", 3, self.path("alone")), "round\n")

    def test_step_interface(self):
        if not os.path.exists(os.path.join(self.prefix, "include", "isthmus", "step.h")):
            self.skipTest("the xBGAS machine was not built")
        if not shutil.which("pkg-config"):
            self.skipTest("pkg-config is not installed")
        environment = setting(PKG_CONFIG_PATH=os.path.join(self.prefix, "lib", "pkgconfig"))
        flags = self.good("pkg-config", "--cflags", "--libs", "isthmus-step", env=environment).split()
        source = os.path.join(self.prefix, "share", "doc", "isthmus", "examples", "machine", "check_core.cpp")
        self.good("c++", "-std=c++20", source, "-o", self.path("check_core"), *flags)
        self.assertEqual(self.good(self.path("check_core"), 500), "500 of 500 instructions equal\n")
        with open(self.path("step.c"), "w", encoding="utf-8") as file:
            file.write("#include <isthmus/step.h>\n#include <stdio.h>\n"
                       "int main(void) { isthmus_step* hart = isthmus_step_create(\"isa=rv8i\");\n"
                       "puts(hart ? \"a hart\" : isthmus_step_error()); return 0; }\n")
        self.good("cc", "-std=c99", "-pedantic-errors", self.path("step.c"), "-o", self.path("step"), *flags)
        self.assertEqual(self.good(self.path("step")),
                         "parameter isa=rv8i: isa 'rv8i': it begins with neither rv32 nor rv64\n")
        self.assertTrue(os.path.exists(os.path.join(self.prefix, "share", "isthmus", "isthmus_step_pkg.sv")))

    def test_gasnet_fragments(self):
        include = os.path.join(self.prefix, "include")
        for mode in ("seq", "parsync", "par"):
            program = self.path("gasnet_" + mode)
            tools = os.path.join(include, f"gasnet_tools-{'seq' if mode == 'seq' else 'par'}.mak")
            for source in ("gasnet.c", "gasnet_ex.c"):
                self.good("make", "-B", "-f", os.path.join(USER, "gasnet.mk"), f"PROGRAM={program}",
                          f"FRAGMENT={include}/isthmus-conduit/isthmus-{mode}.mak {tools}",
                          f"SOURCE={USER}/{source}", f"TOOLS_SOURCE={USER}/gasnet_tools.c")
                self.assertEqual(self.good(self.prefix + "/bin/isthmus", "run", "-n", 3, program),
                                 "round\n")
            self.assertEqual(self.good(program + "_tools"), "1\n")

    def test_gasnet_pkg_config(self):
        if not shutil.which("pkg-config"):
            self.skipTest("pkg-config is not installed")
        environment = setting(PKG_CONFIG_PATH=os.path.join(self.prefix, "lib", "pkgconfig"))
        for mode in ("seq", "parsync", "par"):
            name = "gasnet-isthmus-" + mode
            compiler = self.good("pkg-config", "--variable=GASNET_CC", name, env=environment).strip()
            flags = self.good("pkg-config", "--cflags", "--libs", name, env=environment).split()
            for source in ("gasnet.c", "gasnet_ex.c"):
                self.good(compiler, os.path.join(USER, source), "-o", self.path(name), *flags)
                self.assertEqual(self.good(self.prefix + "/bin/isthmus", "run", "-n", 3,
                                           self.path(name)), "round\n")
        flags = self.good("pkg-config", "--cflags", "--libs", "gasnet_tools-seq", env=environment)
        self.good("cc", os.path.join(USER, "gasnet_tools.c"), "-o", self.path("tools"),
                  *flags.split())
        self.assertEqual(self.good(self.path("tools")), "1\n")

    def folders_of(self, words):
        return [word[2:] for word in words.split() if word.startswith("-I")]

    def test_gasnet_headers_alone(self):
        include = self.prefix + "/include"
        self.good(self.prefix + "/bin/isthmus", "gasnet", "ibv", self.path("ibv"))
        probe = pathlib.Path(self.path("probe.mk"))
        fragments = [f"{include}/isthmus-conduit/isthmus-par.mak", f"{include}/gasnet_tools-par.mak",
                     self.path("ibv/include/ibv-conduit/ibv-par.mak"), self.path("ibv/include/gasnet_tools-par.mak")]
        for fragment in fragments:
            probe.write_text(f"include {fragment}\nall:;@echo $(GASNET_CPPFLAGS) $(GASNETTOOLS_CPPFLAGS)\n", encoding="utf-8")
            folders = self.folders_of(self.good("make", "-f", probe))
            self.assertTrue(folders, fragment)
            for folder in folders:
                self.assertTrue(os.path.exists(folder + "/gasnet_tools.h"), folder)
                for others in ("shmem.h", "shmemx.h", "pshmem.h", "mpp", "isthmus.h", "isthmus/shmem_types.h"):
                    self.assertFalse(os.path.exists(f"{folder}/{others}"), f"{folder}/{others} of {fragment}")
        # Each compiles without what else lies in include.
        for name in sorted(os.listdir(include + "/isthmus-gasnet")):
            if name.endswith(".h"):
                self.good("cc", "-DGASNET_PAR", "-I" + include + "/isthmus-gasnet", "-fsyntax-only", "-x", "c", "-include",
                          include + "/isthmus-gasnet/" + name, "/dev/null")
        # As OSSS's OpenSHMEM asks: the release by the first words of lines, and the conduit by a header.
        for folder, conduit in ((include, "isthmus"), (self.path("ibv/include"), "ibv")):
            text = pathlib.Path(folder + "/gasnet_config.h").read_text(encoding="utf-8")
            for part, number in (("MAJOR", "2025"), ("MINOR", "8"), ("PATCH", "0")):
                self.assertEqual([line.split()[2] for line in text.splitlines() if "GASNET_RELEASE_VERSION_" + part in line],
                                 [number])
            self.assertTrue(os.path.exists(f"{folder}/{conduit}-conduit/gasnet_core.h"))
        if not shutil.which("pkg-config"):
            return
        environment = setting(PKG_CONFIG_PATH=self.prefix + "/lib/pkgconfig")
        for name in ("gasnet-isthmus-par", "gasnet_tools-par"):
            for folder in self.folders_of(self.good("pkg-config", "--cflags", name, env=environment)):
                self.assertFalse(os.path.exists(folder + "/shmem.h"), name)

    def test_gasnet_by_a_known_name(self):
        folder = self.path("ibv")
        known = self.prefix + "/bin/isthmus"
        for _ in range(2):
            self.good(known, "gasnet", "ibv", folder, env=setting(CC="cc -pipe"))
        # As UPC++ does: the fragment from the build folder, a template filled, a variable for the PEs.
        program = self.path("named")
        self.good("make", "-C", folder + "/ibv-conduit", "ibv-seq.mak")
        self.good("make", "-B", "-f", os.path.join(USER, "gasnet.mk"), f"PROGRAM={program}",
                  f"FRAGMENT={folder}/ibv-conduit/ibv-seq.mak {folder}/include/gasnet_tools-seq.mak",
                  f"SOURCE={USER}/gasnet_ex.c", f"TOOLS_SOURCE={USER}/gasnet_tools.c")
        self.assertEqual(pathlib.Path(program).read_bytes().count(b"$GASNetConduitName: IBV $"), 1)
        start = folder + "/bin/gasnetrun_ibv"
        self.assertEqual(self.good(start, "-n", 3, "-E", "HOME,NONE_OF_THIS_NAME", "--", program), "round\n")
        self.assertEqual(self.good(start, "-N", 1, "-np", 1, "sh", "-c", 'printf "%s," "$@"', "-", "-n", "a b"),
                         "-n,a b,")
        shown = self.good(start, "-t", "-N", 2, "-n", 4, "sh",
                          env=setting(GASNET_SSH_SERVERS="here,there elsewhere", ISTHMUS_REMOTE_SHELL="ssh"))
        self.assertRegex(shown, "(?s)^PEs 0-1: ssh here .*PEs 2-3: ssh there [^\n]*\neach: sh\ndirectory: ")
        template = pathlib.Path(self.path("template"))
        template.write_text("@CONDUITS@ @CC_FAMILY@ @EXESUFFIX@.\n", encoding="utf-8")
        self.good(folder + "/config.status", cwd=self.folder, env=setting(CONFIG_FILES=f"filled:{template}"))
        self.assertRegex(pathlib.Path(self.path("filled")).read_text(encoding="utf-8"), "^ibv (GNU|Clang) \\.\n$")
        # As Caffeine and Realm do; from where its own Makefile installs it.
        second = self.path("second")
        self.good("make", "-C", folder, "all", "install", f"prefix={second}")
        shutil.rmtree(folder)
        if not shutil.which("pkg-config"):
            return
        environment = setting(PKG_CONFIG_PATH=second + "/lib/pkgconfig")
        compiler, libraries = (
            self.good("pkg-config", f"--variable={name}", "gasnet-ibv-par", env=environment).split()
            for name in ("GASNET_CC", "GASNET_LIBS"))
        self.assertEqual(compiler, [shutil.which("cc"), "-pipe"])
        self.assertTrue(os.path.exists(libraries[0][2:] + "/../include/gasnetex.h"), libraries)
        flags = self.good("pkg-config", "--cflags", "--libs", "gasnet-ibv-par", env=environment).split()
        self.good(*compiler, os.path.join(USER, "gasnet_ex.c"), "-o", program, *flags)
        self.assertTrue(os.path.exists(second + "/lib/libgasnet-ibv-par.a"))
        shutil.rmtree(second)
        self.assertEqual(self.good(known, "run", "-n", 2, program), "round\n")

    def test_gasnet_folder_refused(self):
        known = self.prefix + "/bin/isthmus"
        pathlib.Path(self.path("mine")).write_text("", encoding="utf-8")
        for words, reason in ((("tcp", self.path("new")), "unknown network tcp; clients know ibv, mpi, ofi, ucx, udp"),
                              (("ibv", self.folder), "has files of others"),
                              (("ibv",), "a network and a folder are wanted"),
                              (("--networks", "x"), "unknown option --networks")):
            with self.subTest(words=words):
                result = run(known, "gasnet", *words)
                self.assertEqual(result.returncode, 2, result.stderr)
                self.assertIn(reason, result.stderr)
        self.assertTrue(os.path.exists(self.path("mine")))
        result = run(self.tool("isthmus"), "gasnet", "ibv", self.path("new"))
        self.assertEqual(result.returncode, 2)
        self.assertIn("this needs an installed tree", result.stderr)
        self.assertFalse(os.path.exists(self.path("new")))

    def test_wrappers_and_tools(self):
        self.good(self.prefix + "/bin/oshc++", "-O2", os.path.join(USER, "ring.cpp"), "-o",
                  self.path("ring"))
        self.assertEqual(self.good(self.prefix + "/bin/isthmus", "run", "-n", 3, self.path("ring")),
                         "round\n")
        self.good(self.prefix + "/bin/oshcc", "-profile", os.path.join(USER, "ring.c"), "-o",
                  self.path("counted"))
        counts = self.path("counts.json")
        self.good(self.prefix + "/bin/oshrun", "-n", 3, self.path("counted"),
                  env=setting(ISTHMUS_STATS="1", ISTHMUS_STATS_FILE=counts))
        with open(counts, encoding="utf-8") as file:
            self.assertEqual(json.load(file)["pes"], 3)
        report = json.loads(self.good(self.prefix + "/bin/isthmus", "info", "--json"))
        self.assertTrue(report["build"]["library"].startswith(self.prefix), report["build"])
        self.good(self.prefix + "/bin/isthmus", "doctor")

    def test_static_programs(self):
        for source, wrapper in (("ring.c", "oshcc"), ("ring.cpp", "oshc++")):
            for option in ("-static", "-static-pie"):
                with self.subTest(source=source, option=option):
                    self.good(self.prefix + "/bin/" + wrapper, "-O2", option, os.path.join(USER, source),
                              "-o", self.path("ring"))
                    self.assertEqual(self.good(self.prefix + "/bin/oshrun", "-n", 3, self.path("ring")),
                                     "round\n")
        for option, words in (("--stats", []), ("--trace", [self.path("trace.json")])):
            uncounted = run(self.prefix + "/bin/isthmus", "run", "-n", 2, option, *words, self.path("ring"))
            self.assertEqual(uncounted.returncode, 2)
            self.assertIn("is linked with -static, and nothing that counts can be loaded", uncounted.stderr)
        uncounted = run(self.prefix + "/bin/oshrun", "-n", 2, self.path("ring"), env=setting(ISTHMUS_STATS="1"))
        self.assertIn("ISTHMUS_STATS=1 has no effect: the program is linked with libisthmus.a", uncounted.stderr)
        for settings in ({"ISTHMUS_DELAY": "1"}, {"ISTHMUS_TRANSPORT": "loop"}, {"ISTHMUS_TRANSPORT": "packet"}):
            alone = run(self.prefix + "/bin/oshrun", "-n", 2, self.path("ring"), env=setting(**settings))
            self.assertEqual(alone.returncode, 1)
            self.assertIn("the program is linked with libisthmus.a (-static), and roads are modules of "
                          "libisthmus.so; link it without -static", alone.stderr)
        # Room above such a program is made by the limit of the stack. 128 PEs fill what chance leaves.
        limited = run("sh", "-c", f"ulimit -s 8192; exec {self.prefix}/bin/oshrun -n 128 {self.path('ring')}",
                      env=setting(SHMEM_SYMMETRIC_SIZE="1M"))
        self.assertNotEqual(limited.returncode, 0)
        self.assertIn("there is no room above the program for the static data of the other PEs; raise "
                      "the hard limit of the stack", limited.stderr)

    def test_counts_of_a_module_of_python(self):
        """It is loaded with libisthmus for itself alone, as shmem4py is."""
        with open(self.path("module.c"), "w") as file:
            file.write("#include <shmem.h>\nvoid run(void) { shmem_init(); shmem_finalize(); }\n")
        self.good(self.prefix + "/bin/oshcc", "-shared", "-fPIC", self.path("module.c"), "-o", self.path("m.so"))
        done = run(self.prefix + "/bin/isthmus", "run", "-n", 2, "--stats", sys.executable, "-c",
                   f"import ctypes; ctypes.CDLL({self.path('m.so')!r}).run()")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"2 +0 B .* shmem_init")

    def test_musl(self):
        if not shutil.which("musl-gcc"):
            self.skipTest("musl-gcc is not installed")
        source = os.path.join(USER, "ring.c")
        self.good(self.prefix + "/bin/oshcc", "-cc=musl-gcc", "-O2", "-static", source, "-o", self.path("musl"))
        for settings in ({}, {"ISTHMUS_CHECK": "1"}):
            self.assertEqual(self.good(self.prefix + "/bin/oshrun", "-n", 3, self.path("musl"),
                                       env=setting(**settings)), "round\n")
        # An exception within the library comes out as a message.
        wrong = run(self.path("musl"), env=setting(ISTHMUS_CHEK="1"))
        self.assertIn("setting ISTHMUS_CHEK is not known; did you mean ISTHMUS_CHECK?", wrong.stderr)
        # A crash of the program's own is told with its lines, and a mistake as well.
        crash = [os.path.join(USER, "..", "..", "core", "session", "crash" + part) for part in (".c", "_file.c", "_library.c",
                                                                                     "_puts.c")]
        self.good(self.prefix + "/bin/oshcc", "-cc=musl-gcc", "-g", "-O1", "-static", *crash, "-o", self.path("crash"))
        for case, told in (("write", r"SIGSEGV, write to address 0x10\nisthmus:   #0 inner at .*/crash.c:8\n"
                                     r"isthmus:   #1 outer at .*\nisthmus:   #2 main at .*/crash.c:62\n"),
                           ("null_source", r" \(.*/crash_puts.c:12\): an address, team or context ")):
            self.assertRegex(run(self.prefix + "/bin/oshrun", "-n", 2, self.path("crash"), case).stderr, told)
        self.within_musl(crash)
        shared = run(self.prefix + "/bin/oshcc", "-cc=musl-gcc", source, "-o", self.path("musl"))
        self.assertIn("above musl a program is linked with -static", shared.stderr)

    def within_musl(self, crash):
        """The C library has no tables for unwinding: frames are found by what lies on the stack. Without optimisation
        they need the frame pointer, which abort has used for something else."""
        perhaps = r"\nisthmus:   #0 .*\nisthmus:   what has called it keeps no frame; on the stack lies, perhaps:\nisthmus:   #1 "
        abort = "SIGABRT: .*" + perhaps + r"stop at .*/crash.c:24\n"
        main = r"isthmus:   #2 main at .*/crash.c:\d+\n"
        fill = "SIGSEGV, .*" + perhaps + r"fill_nowhere at .*/crash_puts.c:32\n"
        text = "SIGSEGV, .*" + perhaps + r"print_nowhere at .*/crash_puts.c:52\n"
        cases = {"abort": abort + main, "memset": fill + main, "print": text + main}
        for level in ("-O1", "-O0"):
            self.good(self.prefix + "/bin/oshcc", "-cc=musl-gcc", "-g", level, "-static", *crash, "-o", self.path("crash"))
            for case, told in cases.items():
                self.assertRegex(run(self.prefix + "/bin/oshrun", "-n", 2, self.path("crash"), case).stderr, told)

    def test_pages_and_examples(self):
        pages = pathlib.Path(self.prefix, "share", "doc", "isthmus")
        for name in ("README.md", "docs/index.md", "examples/README.md", "examples/ring.c"):
            self.assertTrue((pages / name).exists(), name)
        self.assertEqual(list(check_links.problems(pages.resolve())), [])
        self.good(self.prefix + "/bin/oshcc", "-O2", pages / "examples" / "ring.c", "-o", self.path("ring"))
        self.assertIn("came back", self.good(self.prefix + "/bin/oshrun", "-n", 3, self.path("ring")))

    def test_no_tests(self):
        names = [path.name for path in pathlib.Path(self.prefix).rglob("*")]
        self.assertEqual([name for name in names if "test" in name.lower() and name != "testing.md"], [])

    def test_machine(self):
        sim = os.path.join(self.prefix, "bin", "isthmus-sim")
        if not os.path.exists(sim):
            self.skipTest("the machine is not built")
        compiler = shutil.which("riscv64-linux-gnu-gcc")
        if not compiler:
            self.skipTest("riscv64-linux-gnu-gcc is not installed")
        responses = os.path.join(BUILD, "lib", "riscv64", "xbgas.rsp")
        program = self.path("ring")
        self.good(compiler, "-O2", os.path.join(USER, "ring.c"), f"@{responses}", "-o", program)
        self.assertEqual(self.good(self.prefix + "/bin/isthmus", "sim", program, "-n", 3), "round\n")
        machine = os.path.join(self.prefix, "share", "isthmus", "table3.json")
        self.assertEqual(self.good(self.prefix + "/bin/isthmus", "sim", program, "-n", 2, "--machine",
                                   machine), "round\n")
        self.good(sys.executable, os.path.join(self.prefix, "share", "isthmus", "plot.py"), "--help")
        self.assertEqual(self.good(self.prefix + "/bin/oshrun", "-n", 2,
                                   self.prefix + "/bin/isthmus-sim-processes", program, "-n", 4),
                         "round\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--build", required=True)
    known, rest = parser.parse_known_args()
    BUILD = os.path.abspath(known.build)
    unittest.main(argv=[sys.argv[0], *rest], verbosity=2)
