#!/usr/bin/env python3
"""Compiles small texts against the public headers and compares what the compiler says.

Clean: every standard of C and C++ that programs are written in, pedantic, with macros of the user's
own in the way. Refused: a type that a generic routine does not have, with a message that names it.
"""

import argparse
import shutil
import subprocess
import sys

USERS_MACROS = "".join(
    f"#define {name} 42\n"
    for name in ["I", "N", "T", "X", "R", "P", "A", "B", "C", "K", "M", "NAME", "BITS", "OP", "PE",
                 "ME", "NPES", "MAX", "MIN", "SIZE", "TYPE", "PUT", "GET", "UNIT", "FORM", "TYPES",
                 "OPERATION", "PARAMETERS", "ARGUMENTS", "n", "i", "j", "k", "p", "x", "y"])

PLAIN = "#include <shmem.h>\nint main(void) { shmem_init(); shmem_finalize(); return 0; }\n"
EVERY_HEADER = ("#include <mpp/shmem.h>\n#include <mpp/shmemx.h>\n#include <shmem.h>\n"
                "#include <shmemx.h>\n#include <pshmem.h>\n#include <mpp/pshmem.h>\n"
                "int main(void) { pshmem_init(); pshmem_finalize(); return 0; }\n")
NATIVE = ("#include <isthmus.h>\n#include <shmemx.h>\n"
          "int main(void) { isthmus_init(); isthmus_finalize(); return 0; }\n")
SHORT_ONES = ("#include <shmem.h>\nstatic long v[4];\nint main(void) { long x = 1; shmem_init();\n"
              "shmem_long_p(v, x, 0); shmem_long_atomic_add(v, 1, 0); shmem_putmem(v, v, sizeof v, 0);\n"
              "x = shmem_long_g(v, 0); shmem_finalize(); return x == 1 ? 0 : 1; }\n")
WITH_MACROS = USERS_MACROS + PLAIN
EXTERN_C = 'extern "C" {\n#include <shmem.h>\n}\nint main() { shmem_init(); return 0; }\n'
COMPLEX = ("#include <complex.h>\n#include <shmem.h>\nstatic double _Complex z[1], y[1];\n"
           "int main(void) { z[0] = 1.0 + 2.0 * I;\n"
           "return shmem_complexd_sum_reduce(SHMEM_TEAM_WORLD, y, z, 1); }\n")
GENERIC = ("#include <shmem.h>\nstatic int a[4]; static volatile long f;\n"
           "static const int c[4] = {1, 2, 3, 4};\n"
           "int main(void) { int i = 0; shmem_put(a, c, 4, 0); shmem_p(&a[i++], 3, 0);\n"
           "shmem_wait_until(&f, SHMEM_CMP_EQ, 0L); return shmem_g(&c[1], 0); }\n")

# What macros put into the program's own code.
CONSTANTS = ("#include <shmem.h>\n#include <shmemx.h>\nint main(void) { shmem_ctx_t ctx = SHMEM_CTX_INVALID;\n"
             "shmem_team_t team = SHMEM_TEAM_INVALID; shmemx_queue_t queue = SHMEMX_QUEUE_INVALID;\n"
             "shmemx_aggregate_t rows = SHMEMX_AGGREGATE_INVALID; return ctx == SHMEM_CTX_DEFAULT ||\n"
             "team == SHMEM_TEAM_WORLD || queue != SHMEMX_QUEUE_INVALID || rows != SHMEMX_AGGREGATE_INVALID; }\n")

C_STANDARDS = ["c99", "c11", "gnu11", "c17", "c2x"]
CXX_STANDARDS = ["c++11", "c++17", "c++20", "gnu++2b"]
OLD_CXX_STANDARDS = ["c++98", "gnu++98", "c++03"]
STRICT = ["-Wall", "-Wextra", "-Wshadow", "-Wconversion", "-Wsign-conversion", "-Wcast-qual", "-pedantic",
          "-Werror"]
STRICT_CXX = [*STRICT, "-Wold-style-cast", "-Wzero-as-null-pointer-constant"]

USE = "#include <shmem.h>\nstruct point { int x; };\nstatic struct point a; static int v[2];\n" \
      "static const int c[2] = {1, 2}; static long w[2]; static float f;\nint main(void) { %s return 0; }\n"
# text, in C: what the message must name; then in C++
REFUSED = [
    ("shmem_p(&a, a, 0);", "struct point", "shmem_p"),
    ("shmem_put(&a, &a, 1, 0);", "struct point", "shmem_put"),
    ("shmem_atomic_add(&f, 1.0f, 0);", "float", "shmem_atomic_add"),
    ("shmem_wait_until(&f, SHMEM_CMP_EQ, 1.0f);", "float", "shmem_wait_until"),
    ("shmem_xor_reduce(SHMEM_TEAM_WORLD, &f, &f, 1);", "float", "shmem_xor_reduce"),
]
# Errors in C++, warnings (on without being asked for) in C.
DOUBTFUL = [
    ("shmem_put(v, w, 2, 0);", "mismatch", "no matching function"),
    ("shmem_p(&c[1], 3, 0);", "const", "const"),
]


# What some compilers know. The generics of C11 hand on void*, as C++ would not.
MORE = ["-Wcast-align=strict", "-Wcast-align", "-Wredundant-decls", "-Wundef", "-Wwrite-strings",
        "-Wduplicated-branches", "-Wlogical-op", "-Wnull-dereference", "-Wfloat-equal", "-Wdouble-promotion",
        "-Wswitch-enum", "-Wvla", "-Wpointer-arith", "-Wmissing-declarations"]
MORE_C = ["-Wstrict-prototypes", "-Wmissing-prototypes", "-Wold-style-definition", "-Wnested-externs",
          "-Wbad-function-cast", "-Wjump-misses-init"]
MORE_CXX = ["-Wuseless-cast", "-Weffc++", "-Wextra-semi", "-Wsign-promo", "-Wredundant-tags"]


def known(compiler: str, language: str, flags: list[str]) -> list[str]:
    return [flag for flag in flags
            if compile_text(compiler, language, "extern int x;\n", flag, "-Werror")[0] == 0]


def compile_text(compiler: str, language: str, text: str, *flags: str) -> tuple[int, str]:
    result = subprocess.run([compiler, "-x", language, "-", "-fsyntax-only", *flags], input=text,
                            text=True, capture_output=True)
    return result.returncode, result.stderr


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--include", required=True)
    parser.add_argument("--compiler", nargs=2, required=True, help="for C, for C++")
    arguments = parser.parse_args()
    c_compiler, cxx_compiler = arguments.compiler
    include = "-I" + arguments.include
    problems = []
    compiled = 0

    def expect_clean(what: str, compiler: str, language: str, text: str, *flags: str) -> None:
        nonlocal compiled
        compiled += 1
        status, messages = compile_text(compiler, language, text, include, *flags)
        if status != 0 or messages:
            problems.append(f"{what} {' '.join(flags)}:\n" + "\n".join(messages.splitlines()[:6]))

    def expect_said(what: str, compiler: str, language: str, text: str, said: str, must_fail: bool,
                    *flags: str) -> None:
        nonlocal compiled
        compiled += 1
        status, messages = compile_text(compiler, language, text, include, *flags)
        if (must_fail and status == 0) or said not in messages:
            problems.append(f"{what}: wanted a message with '{said}', got:\n" +
                            "\n".join(messages.splitlines()[:6]))

    more = known(c_compiler, "c", MORE + MORE_C)
    more_cxx = known(cxx_compiler, "c++", MORE + MORE_CXX)
    # Optimising brings the inlined routines in.
    for standard in C_STANDARDS:
        flags = ["-std=" + standard, "-O2", *STRICT]
        expect_clean("plain", c_compiler, "c", WITH_MACROS, *flags)
        if standard != "c99":
            expect_clean("generics", c_compiler, "c", GENERIC, *flags)
    expect_clean("generics", c_compiler, "c", GENERIC, "-std=c11", "-O0", *STRICT)
    expect_clean("generics", cxx_compiler, "c++", GENERIC, "-std=c++11", "-O2", *STRICT_CXX)
    expect_clean("generics", cxx_compiler, "c++", GENERIC, "-std=c++11", "-O0", *STRICT_CXX)
    expect_clean("every header", c_compiler, "c", EVERY_HEADER, *STRICT)
    expect_clean("every header", cxx_compiler, "c++", EVERY_HEADER, *STRICT)
    expect_clean("complex", c_compiler, "c", COMPLEX, "-std=gnu11", "-Wall", "-Werror")
    expect_clean("the user's macros", cxx_compiler, "c++", "#include <complex>\n" + WITH_MACROS,
                 "-std=c++17")
    for standard in ["c89", "gnu89", "iso9899:199409"]:
        for text in [PLAIN, EVERY_HEADER, NATIVE, SHORT_ONES]:
            for level in ["-O0", "-O2"]:
                expect_clean("C89", c_compiler, "c", text, "-std=" + standard, level, *STRICT)
    # What is clean with more warnings is clean with fewer.
    for standard in ["c89", "c99", "c17"]:
        for text in [EVERY_HEADER, NATIVE, SHORT_ONES]:
            expect_clean("more", c_compiler, "c", text, "-std=" + standard, "-O2", *STRICT, *more,
                         "-Wc++-compat")
    expect_clean("more", c_compiler, "c", GENERIC, "-std=c11", "-O2", *STRICT, *more)
    for standard in OLD_CXX_STANDARDS + CXX_STANDARDS:
        for text in [EVERY_HEADER, NATIVE, SHORT_ONES, EXTERN_C, CONSTANTS]:
            expect_clean("more", cxx_compiler, "c++", text, "-std=" + standard, "-O2", *STRICT_CXX,
                         *more_cxx)
    # Clang warns of casts within extern "C", too.
    for version in [each for each in ("", "-14") if shutil.which("clang" + each) and shutil.which("clang++" + each)]:
        clang, clang_cxx = "clang" + version, "clang++" + version
        more, more_cxx = known(clang, "c", MORE + MORE_C), known(clang_cxx, "c++", MORE + MORE_CXX)
        for level in ["-O0", "-O2"]:
            for text in [EVERY_HEADER, NATIVE, SHORT_ONES, CONSTANTS]:
                for standard in ["c99", "c17"]:
                    expect_clean("clang", clang, "c", text, "-std=" + standard, level, *STRICT, *more)
                for standard in ["c++98", "c++11", "c++17", "c++20"]:
                    expect_clean("clang", clang_cxx, "c++", text, "-std=" + standard, level, *STRICT_CXX, *more_cxx)
            expect_clean("clang", clang_cxx, "c++", GENERIC, "-std=c++17", level, *STRICT_CXX, *more_cxx)
        # Everything, but for what is a matter of taste or of older standards.
        taste = ["-Weverything", "-Werror", "-Wno-padded", "-Wno-unknown-warning-option", "-Wno-unsafe-buffer-usage",
                 "-Wno-declaration-after-statement", "-Wno-pre-c11-compat"]
        expect_clean("everything", clang, "c", PLAIN, "-std=c11", *taste)
        expect_clean("everything", clang_cxx, "c++", PLAIN, "-std=c++20", *taste, "-Wno-c++98-compat",
                     "-Wno-c++98-compat-pedantic")
    for standard in ["gnu89", "gnu90"]:
        expect_clean("plain", c_compiler, "c", PLAIN, "-std=" + standard, "-Wall", "-Wextra", "-Werror")
    for statement, said_c, said_cxx in REFUSED:
        expect_said(statement, c_compiler, "c", USE % statement, said_c, True, "-std=c11")
        expect_said(statement, cxx_compiler, "c++", USE % statement, said_cxx, True, "-std=c++11")
    for statement, said_c, said_cxx in DOUBTFUL:
        expect_said(statement, c_compiler, "c", USE % statement, said_c, False, "-std=c11")
        expect_said(statement, cxx_compiler, "c++", USE % statement, said_cxx, True, "-std=c++11")
    for problem in problems:
        print(problem)
    print(f"{compiled} texts compiled, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
