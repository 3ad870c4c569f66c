#!/usr/bin/env python3
"""Compiles small texts against the native interface's headers and compares what the compiler says.

Clean: each header by itself, in every standard it is for, with strict warnings. Refused: types that
cannot be moved as bytes, and misuse of results, with a message that names the reason.
"""

import argparse
import pathlib
import shutil
import subprocess
import sys
import tempfile

STRICT = ["-Wall", "-Wextra", "-Wshadow", "-Wconversion", "-pedantic", "-Werror"]
USED = "#include <isthmus.hpp>\n#include <memory>\n#include <string>\n#include <vector>\n"
USE = ("struct open { int x; ~open(); };\n"
       "struct chain { std::string text; isthmus::global_ptr<chain> next; };\n"
       "void use(const isthmus::segment& s, const isthmus::queue& q, isthmus::global_ptr<const int> c)\n"
       "{ (void)s; (void)q; (void)c; %s }\n")
# What GASNet's macros put into clients.
CONSTANTS = ("#include <gasnet.h>\n#include <gasnet_tools.h>\n"
             "int used(gex_TM_t team, gex_Client_t client, uint64_t ticks);\n"
             "int used(gex_TM_t team, gex_Client_t client, uint64_t ticks) {\n"
             "gex_Event_t event = GEX_EVENT_INVALID; gex_Event_t* when = GEX_EVENT_NOW; gex_Rank_t rank = GEX_RANK_INVALID;\n"
             "gasnet_handle_t handle = GASNET_INVALID_HANDLE; gasnet_coll_handle_t both = GASNET_COLL_INVALID_HANDLE;\n"
             "return team == GEX_TM_INVALID && client == GEX_CLIENT_INVALID && event == GEX_EVENT_NO_OP &&\n"
             "when != GEX_EVENT_GROUP && rank != 0 && handle == GASNET_INVALID_HANDLE && both == GASNET_COLL_INVALID_HANDLE &&\n"
             "gasnett_ticks_to_us(ticks) < GASNETT_TICK_MAX && gasnett_atomic_signed(7) > 0 &&\n"
             "GEX_OP_TO_FETCHING(GEX_OP_ADD) == GEX_OP_FADD; }\n")
# statement, what the message must say
REFUSED = [
    ("isthmus::global_ptr<std::string> p;", "movable_as_bytes"),
    ("isthmus::global_ptr<int*> p;", "movable_as_bytes"),
    ("isthmus::global_ptr<chain> p; chain c0 = *p;", "movable_as_bytes"),
    ("isthmus::global_ptr<chain> p; chain l[2]; isthmus::get(p, l).or_fail();", "movable_as_bytes"),
    ("isthmus::shared_array<std::unique_ptr<int>> x;", "movable_as_bytes"),
    ("isthmus::shared_array<open> x;", "movable_as_bytes"),
    ("isthmus::array_view<std::string, 2> v;", "movable_as_bytes"),
    ("isthmus::remote_view<open, 3> v;", "movable_as_bytes"),
    ("isthmus::aggregator<std::string>* a = nullptr; (void)a;", "movable_as_bytes"),
    ("isthmus::remote_view<int, 1> v(isthmus::segment::of(0).or_fail(), 0, {4});", "deleted"),
    ("q.push(std::unique_ptr<int>()).or_fail();", "movable_as_bytes"),
    ("std::string t[2]; s.put(t, 0).or_fail();", "movable_as_bytes"),
    ("s.async_put(std::string(), 0).wait().or_fail();", "borrowed_range"),
    ("isthmus::global_ptr<int> p; isthmus::async_put(std::vector<int>(3), p).wait().or_fail();",
     "borrowed_range"),
    ("isthmus::global_ptr<int> p; isthmus::async_get(p, std::vector<int>(3)).wait().or_fail();",
     "borrowed_range"),
    ("isthmus::shared_array<long> x(4); x.async_put(5L, 0).wait().or_fail();", "deleted"),
    ("const int t[2] = {}; s.get(0, t).or_fail();", "writable_object_range"),
    ("*c = 3;", "operator="),
    ("isthmus::global_atomic<double>* a = nullptr; (void)a;", "atomic_word"),
    ("isthmus::array_view<int, 4> v;", "Rank"),
    ("isthmus::shared_array<int, int> x;", "distribution"),
    # Inlined, it does not look whether there is a place for the result.
    ("isthmus_fetchadd(&s.native(), 0, 1, nullptr, nullptr);", "nonnull"),
    # A result that nobody looks at: a warning, an error here.
    ("s.post_add(0, 1);", "nodiscard"),
    ("isthmus::segment::create(1, 4096);", "nodiscard"),
]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--include", required=True, type=pathlib.Path)
    parser.add_argument("--compiler", nargs=2, required=True, help="for C, for C++")
    arguments = parser.parse_args()
    c_compiler, cxx_compiler = arguments.compiler
    problems = []
    compiled = 0

    def compile_text(compiler: str, language: str, text: str, *flags: str) -> tuple[int, str]:
        nonlocal compiled
        compiled += 1
        result = subprocess.run([compiler, "-x", language, "-", "-fsyntax-only",
                                 f"-I{arguments.include}", *STRICT, *flags],
                                input=text, text=True, capture_output=True)
        return result.returncode, result.stderr

    def expect_clean(what: str, *call: str) -> None:
        status, messages = compile_text(*call)
        if status != 0 or messages:
            problems.append(f"{what} {call[3:]}:\n" + "\n".join(messages.splitlines()[:6]))

    # Clang warns of casts within extern "C", too.
    clangs = [(f"clang{version}", f"clang++{version}") for version in ("", "-14")
              if shutil.which(f"clang{version}") and shutil.which(f"clang++{version}")]
    clang_cxx = ["-Wold-style-cast", "-Wzero-as-null-pointer-constant", "-Wcast-align"]
    strict_cxx = ["-Wold-style-cast", "-Wzero-as-null-pointer-constant", "-Wcast-align"]
    if compile_text(cxx_compiler, "c++", "extern int x;\n", "-Wuseless-cast")[0] == 0:
        strict_cxx.append("-Wuseless-cast")
    c_headers = ["isthmus.h"] + sorted(
        f"isthmus/{path.name}" for path in (arguments.include / "isthmus").glob("*.h")
        if not path.name.startswith(("shmem_", "gasnet", "gex_")))  # parts of shmem.h and gasnet.h
    for header in c_headers:
        text = f"#include <{header}>\nextern int used;\nint used;\n"
        standards = ["c89", "c2x"] if header != "isthmus.h" else [
            "c89", "gnu89", "c99", "c11", "c17", "gnu2x"]
        for standard in standards:
            expect_clean(header, c_compiler, "c", text, "-std=" + standard, "-O2")
        expect_clean(header, cxx_compiler, "c++", text, "-std=c++11", "-O2", *strict_cxx)
        for clang, clang_for_cxx in clangs:
            expect_clean(header, clang, "c", text, "-std=c11", "-O2")
            expect_clean(header, clang_for_cxx, "c++", text, "-std=c++11", "-O2", *clang_cxx)
    for header in ("gasnet.h", "gasnet_tools.h", "gasnetex.h", "gasnet_coll.h", "gasnet_vis.h", "gasnet_ratomic.h",
                   "gasnet_mk.h", "gasnet_portable_platform.h", "gasnet_config.h"):
        text = f"#include <{header}>\nextern int used;\nint used;\n"
        for standard in ("gnu99", "gnu11", "gnu2x"):
            expect_clean(header, c_compiler, "c", text, "-DGASNET_SEQ", "-std=" + standard, "-O2")
        for standard in ("gnu++98", "c++11", "c++20"):
            expect_clean(header, cxx_compiler, "c++", text, "-DGASNET_PAR", "-std=" + standard, "-O2",
                         *strict_cxx)
            for _, clang_for_cxx in clangs:
                expect_clean(header, clang_for_cxx, "c++", text, "-DGASNET_PAR", "-std=" + standard, "-O2", *clang_cxx)
        for clang, _ in clangs:
            expect_clean(header, clang, "c", text, "-DGASNET_SEQ", "-std=gnu11", "-O2")
    # Without a threading mode, as headers of clients include it.
    for compiler, language, standard in ((c_compiler, "c", "c89"), (c_compiler, "c", "c2x"),
                                         (cxx_compiler, "c++", "c++11")):
        expect_clean("gasnet_fwd.h", compiler, language, "#include <gasnet_fwd.h>\nextern int used;\nint used;\n",
                     "-std=" + standard, "-O2")
    cxx_headers = ["isthmus.hpp", "isthmus/kernel.hpp"] + sorted(
        f"isthmus/cpp/{path.name}" for path in (arguments.include / "isthmus/cpp").glob("*.hpp"))
    for header in cxx_headers:
        expect_clean(header, cxx_compiler, "c++", f"#include <{header}>\n", "-std=c++20", "-O2",
                     *strict_cxx)
        for _, clang_for_cxx in clangs:
            expect_clean(header, clang_for_cxx, "c++", f"#include <{header}>\n", "-std=c++20", "-O2", *clang_cxx)
    # The machine's header: for its processor alone.
    text = "#include <xbgas.h>\nextern int used;\nint used;\n"
    riscv = ["-ffreestanding"]
    target = ["--target=riscv64-linux-gnu", *riscv]
    pairs = [(clang, clang_for_cxx, target, clang_cxx) for clang, clang_for_cxx in clangs]
    if shutil.which("riscv64-linux-gnu-gcc") and shutil.which("riscv64-linux-gnu-g++"):
        pairs.append(("riscv64-linux-gnu-gcc", "riscv64-linux-gnu-g++", riscv, strict_cxx))
    for for_c, for_cxx, flags, more in pairs:
        if compile_text(for_c, "c", "extern int x;\n", *flags)[0] != 0:
            continue
        for standard in ("c99", "gnu17"):
            expect_clean("xbgas.h", for_c, "c", text, *flags, "-std=" + standard, "-O2")
        for standard in ("c++11", "c++20"):
            expect_clean("xbgas.h", for_cxx, "c++", text, *flags, "-std=" + standard, "-O2", *more)
        # What it silences, it silences for itself alone.
        told = compile_text(for_cxx, "c++", text + "long cast(int x);\nlong cast(int x) { return (long)x; }\n",
                            *flags, "-std=c++11", *more)[1]
        if "old" not in told:
            problems.append(f"{for_cxx}: silent behind xbgas.h")
    # What the macros put into programs, and templates that are used.
    initial = "isthmus_event event = ISTHMUS_EVENT_TRUE; isthmus_channel channel = ISTHMUS_CHANNEL_INIT;"
    words = ("isthmus::global_ptr<long> p; *p = 1; long l = *p; isthmus::global_atomic<long>(p).store(l);"
             "isthmus::put({&l, 1}, p).or_fail(); isthmus::shared_array<int> x(4); x[0] = 1;")
    expect_clean("used strictly", cxx_compiler, "c++",
                 USED + "void touch(isthmus_event&, isthmus_channel&);\n" +
                 USE % f"{initial} touch(event, channel); {words}", "-std=c++20", "-O2", *strict_cxx)
    for compiler in [cxx_compiler, *(clang_for_cxx for _, clang_for_cxx in clangs)]:
        expect_clean("constants", compiler, "c++", CONSTANTS, "-DGASNET_SEQ", "-std=c++17", "-O2", *clang_cxx)
    expect_clean("c++23", cxx_compiler, "c++", "#include <isthmus.hpp>\n", "-std=gnu++2b", "-O0")
    expect_clean("no exceptions", cxx_compiler, "c++", USED + USE % "", "-std=c++20", "-fno-exceptions",
                 "-fno-rtti")
    if compile_text(cxx_compiler, "c++", "extern int x;\n", "-Weffc++")[0] == 0:
        expect_clean("-Weffc++", cxx_compiler, "c++", USED + USE % "", "-std=c++20", "-Weffc++")
    expect_clean("assertions", cxx_compiler, "c++", USED + USE % "", "-std=c++20", "-O2")
    block = "isthmus::shared_array<int, isthmus::block_cyclic<>> x(10, 4);"
    expect_clean("int for a block", cxx_compiler, "c++", USED + USE % block, "-std=c++20",
                 "-Wsign-conversion")
    # What all of them include is read once; a compiler that does not take it so reads it each time.
    with tempfile.TemporaryDirectory() as folder:
        used = pathlib.Path(folder, "used.hpp")
        used.write_text(USED, encoding="utf-8")
        subprocess.run([cxx_compiler, "-x", "c++-header", used, "-o", f"{used}.gch",
                        f"-I{arguments.include}", *STRICT, "-std=c++20"], capture_output=True, check=False)
        for statement, said in REFUSED:
            status, messages = compile_text(cxx_compiler, "c++", "#include <used.hpp>\n" + USE % statement,
                                            "-std=c++20", f"-I{folder}")
            if status == 0 or said not in messages:
                problems.append(f"{statement}: wanted an error with '{said}', got:\n" +
                                "\n".join(messages.splitlines()[:6]))
    status, messages = compile_text(cxx_compiler, "c++", "#include <isthmus.hpp>\n", "-std=c++17")
    if status == 0 or "needs C++20" not in messages:
        problems.append("C++17 is not refused with a reason")

    for problem in problems:
        print(problem)
    print(f"{compiled} texts compiled, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
