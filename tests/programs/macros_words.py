#!/usr/bin/env python3
"""Every word of shmem.h and isthmus.h that a program may have as a macro is away while the header is read.

The words are those that the preprocessor leaves of the library's headers, less those that belong to
the library, to the language and to <stdint.h>.
"""

import argparse
import pathlib
import re
import subprocess
import sys

KEYWORDS = set("char const const_cast constexpr double else extern float for if inline int long namespace "
               "return short signed sizeof static struct template typename typedef union unsigned "
               "using void volatile while do switch case default break register auto enum bool "
               "true false operator class public private noexcept decltype reinterpret_cast complex std".split())
# Names that the standard gives to the library, and what the compiler's own spelling leaves no way
# round.
OWN = re.compile(r"_|[Pp]?shmem|isthmus|ISTHMUS|SHMEM|sh(free|malloc|realloc|memalign)$|start_pes$|my_pe$|num_pes$")
STANDARD_TYPES = re.compile(r"(u?int(8|16|32|64|ptr|max)|size|ptrdiff|nullptr)_t$")


def words_of(compiler: str, standard: str, header: str, include: list[str]) -> set[str]:
    language = "c++" if "++" in standard else "c"
    text = subprocess.run([compiler, f"-std={standard}", "-E", f"-x{language}", "-",
                           *[f"-I{path}" for path in include]],
                          input=f"#include <{header}>\n", capture_output=True, text=True,
                          check=True).stdout
    ours = False
    words: set[str] = set()
    for line in text.splitlines():
        marker = re.match(r'# \d+ "([^"]*)"', line)
        if marker:
            ours = any(marker[1].startswith(str(path)) for path in include)
        elif ours:
            words |= set(re.findall(r"(?<!\w)[A-Za-z_]\w*", re.sub(r'"[^"]*"', "", line)))
    return words


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--include", nargs="+", required=True)
    parser.add_argument("--compiler", nargs=2, required=True, help="for C, for C++")
    arguments = parser.parse_args()
    lists = pathlib.Path(arguments.include[0]) / "isthmus"
    away = re.findall(r'push_macro\("(\w+)"\)', (lists / "macros_away.inc").read_text())
    undefined = re.findall(r"#undef (\w+)", (lists / "macros_away.inc").read_text())
    back = re.findall(r'pop_macro\("(\w+)"\)', (lists / "macros_back.inc").read_text())
    problems = []
    if away != undefined or sorted(away) != sorted(back) or len(set(away)) != len(away):
        problems.append("macros_away.inc and macros_back.inc do not have the same words, each once")
    c, cxx = arguments.compiler
    for compiler, standard, header in ((c, "gnu89", "shmem.h"), (c, "c11", "shmem.h"),
                                       (cxx, "c++17", "shmem.h"), (c, "c99", "isthmus.h"),
                                       (cxx, "c++17", "isthmus.h")):
        words = words_of(compiler, standard, header, arguments.include)
        if len(words) < 200:
            problems.append(f"{header}, {standard}: only {len(words)} words found")
        problems += [f"{header}, {standard}: {word} is not taken away"
                     for word in sorted(words - set(away))
                     if word not in KEYWORDS and not OWN.match(word) and
                     not STANDARD_TYPES.match(word)]
    print("\n".join(problems) or f"{len(away)} words are taken away and brought back")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
