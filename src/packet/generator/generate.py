#!/usr/bin/env python3
"""Writes what follows from format.toml: C++, SystemVerilog, dissector, page and vectors.

    generate.py            fails if one of the files is not up to date; 77 if this Python cannot tell
    generate.py --write    writes them
"""
import pathlib
import sys

try:
    import tomllib  # noqa: F401
except ModuleNotFoundError:
    print("skipped: Python before 3.11 has no tomllib")
    sys.exit(77)

import cpp
import lua
import page
import systemverilog
import vectors
from model import Format, FormatError

ROOT = pathlib.Path(__file__).resolve().parents[3]
FILES = {"src/packet/format.hpp": cpp.format_header, "src/packet/checks.hpp": cpp.checks_header,
         "rtl/packet/packet_pkg.sv": systemverilog.write, "src/packet/isthmus.lua": lua.write,
         "docs/packet-format.md": page.write, "tests/packet/vectors.json": vectors.write}


def main():
    try:
        form = Format()
        texts = {path: write(form) for path, write in FILES.items()}
    except FormatError as error:
        sys.exit(f"format.toml: {error}")
    stale = []
    for path, text in texts.items():
        file = ROOT / path
        if "--write" in sys.argv:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        elif not file.exists() or file.read_text() != text:
            stale.append(path)
    if stale:
        sys.exit(f"not up to date: {', '.join(stale)}; run src/packet/generator/generate.py --write")


if __name__ == "__main__":
    main()
