#!/usr/bin/env python3
"""Makes docs/conformance.md from what the tests of the OpenSHMEM face found.

Input: the table of routines (printed by shmem_table_list) and the result files, one for each
program, number of PEs and PE: {"program", "pes", "pe", "ok": [...], "failed": [...]}. A routine
passes at a number of PEs if a program of that size checked it and no PE of any program found it
wrong. Output: the page; with --check nothing is written, and the exit status is 1 if a routine does
not pass everywhere or the page in the repository is not the one that would be written.
"""

import argparse
import json
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

PE_COUNTS = [1, 2, 3, 4, 8]

# The order of chapter 9 of the standard: section, title, families of routines in it. T is a type
# name, SIZE a number of bits; shmem_ and ctx_ are left out.
SECTIONS = [
    ("9.1", "Library setup, exit and query", [
        "init", "my_pe", "n_pes", "finalize", "query_initialized", "global_exit", "pe_accessible",
        "addr_accessible", "ptr", "team_ptr", "info_get_version", "info_get_name"]),
    ("9.2", "Thread support", ["init_thread", "query_thread"]),
    ("9.3", "Memory management", [
        "malloc", "free", "realloc", "align", "malloc_with_hints", "calloc"]),
    ("9.4", "Team management", [
        "team_my_pe", "team_n_pes", None, "team_get_config", "team_translate_pe",
        "team_split_strided", "team_split_2d", "team_destroy"]),
    ("9.5", "Communication management", [
        "ctx_create", "team_create_ctx", "ctx_destroy", "ctx_get_team"]),
    ("9.6.1", "Blocking remote memory access", [
        "put", "p", "iput", "ibput", "get", "g", "iget", "ibget"]),
    ("9.6.2", "Non-blocking remote memory access", ["put_nbi", "get_nbi"]),
    ("9.7.1", "Blocking atomics", [
        "atomic_fetch", "atomic_set", "atomic_compare_swap", "atomic_swap", "atomic_fetch_inc",
        "atomic_inc", "atomic_fetch_add", "atomic_add", "atomic_fetch_and", "atomic_and",
        "atomic_fetch_or", "atomic_or", "atomic_fetch_xor", "atomic_xor"]),
    ("9.7.2", "Non-blocking atomics", [
        "atomic_fetch_nbi", "atomic_compare_swap_nbi", "atomic_swap_nbi", "atomic_fetch_inc_nbi",
        "atomic_fetch_add_nbi", "atomic_fetch_and_nbi", "atomic_fetch_or_nbi",
        "atomic_fetch_xor_nbi"]),
    ("9.8", "Signalling operations", [
        "put_signal", "put_signal_nbi", "signal_add", "signal_fetch", "signal_set"]),
    ("9.9", "Sessions", [None, "ctx_session_start", "ctx_session_stop"]),
    ("9.10", "Collectives", [
        "barrier_all", "barrier", "sync", "sync_all", "alltoall", "alltoalls", "broadcast",
        ("collect", "fcollect"),
        ("and_reduce", "or_reduce", "xor_reduce", "max_reduce", "min_reduce", "sum_reduce",
         "prod_reduce", "and_to_all", "or_to_all", "xor_to_all", "max_to_all", "min_to_all",
         "sum_to_all", "prod_to_all"),
        ("sum_inscan", "sum_exscan")]),
    ("9.11", "Point-to-point synchronisation", [
        ("wait_until", "wait"), "wait_until_all", "wait_until_any", "wait_until_some",
        "wait_until_all_vector", "wait_until_any_vector", "wait_until_some_vector", "test",
        "test_all", "test_any", "test_some", "test_all_vector", "test_any_vector",
        "test_some_vector", "signal_wait_until"]),
    ("9.12", "Memory ordering", ["fence", "quiet", "pe_quiet"]),
    ("9.13", "Distributed locks", [("clear_lock", "set_lock", "test_lock")]),
    ("10", "Profiling interface", [("pcontrol",)]),
    ("Annex", "Deprecated names", [
        ("fetch", "set", "swap", "cswap", "finc", "inc", "fadd", "add"),
        ("set_cache_inv", "set_cache_line_inv", "clear_cache_inv", "clear_cache_line_inv",
         "udcflush", "udcflush_line"),
        ("start_pes", "_my_pe", "_num_pes", "my_pe", "num_pes", "shmalloc", "shfree", "shrealloc",
         "shmemalign")]),
]
# Other spellings of a family in the section of its main form.
ALIASES = {"team_sync": "sync"}
TYPES = ("char schar short int long longlong uchar ushort uint ulong ulonglong int8 int16 int32 "
         "int64 uint8 uint16 uint32 uint64 size ptrdiff float double longdouble complexd "
         "complexf").split()
SIZES = re.compile(r"^(i?b?(?:put|get)|f?collect|broadcast|alltoalls?)(8|16|32|64|128|mem)(_\w+)?$")


def sections_of_families() -> dict[str, tuple[str, str]]:
    places = {}
    for number, title, groups in SECTIONS:
        for position, group in enumerate(groups, 1):
            for family in (group,) if isinstance(group, str) else group or ():
                section = number if number in ("10", "Annex") else f"{number}.{position}"
                places[family] = (section, f"{number} {title}")
    return places


def split_name(routine: str, families: dict) -> tuple[str, str, str]:
    """(family, form, variant): shmem_ctx_int_put is ("put", "shmem_ctx_TYPENAME_put", "int")."""
    name = routine.removeprefix("shmem_")
    if name in families:
        return name, routine, ""
    if name in ALIASES:
        return ALIASES[name], routine, ""
    context = ""
    if name.startswith("ctx_"):
        context, name = "ctx_", name.removeprefix("ctx_")
        if name in families:
            return name, routine, ""
    if match := SIZES.match(name):
        family = match[1] + (match[3] or "")
        return family, f"shmem_{context}{match[1]}SIZE{match[3] or ''}", match[2]
    first, _, rest = name.partition("_")
    if first in TYPES and rest in families:
        return rest, f"shmem_{context}TYPENAME_{rest}", first
    raise SystemExit(f"conformance: no section of the standard for {routine}")


class Results:
    def __init__(self, folder: Path) -> None:
        self.ok = defaultdict(set)      # (routine, PEs): programs
        self.failed = defaultdict(set)
        seen = defaultdict(set)
        for path in sorted(folder.glob("*.json")):
            try:
                result = json.loads(path.read_text())
            except json.JSONDecodeError as error:
                raise SystemExit(f"conformance: {path}: {error}")
            seen[result["program"], result["pes"]].add(result["pe"])
            for kind in ("ok", "failed"):
                for routine in result[kind]:
                    getattr(self, kind)[routine, result["pes"]].add(result["program"])
        self.incomplete = [f"{program} at {pes} PEs: results of {len(found)} PEs only"
                           for (program, pes), found in sorted(seen.items()) if len(found) != pes]
        self.is_empty = not seen

    def passes(self, routine: str, pes: int) -> bool:
        return bool(self.ok[routine, pes]) and not self.failed[routine, pes]


def page(routines: list[str], results: Results) -> tuple[str, list[str]]:
    families = sections_of_families()
    rows = defaultdict(lambda: defaultdict(list))  # chapter: (section, form): routines
    order = {family: place for place, family in enumerate(families)}
    for routine in routines:
        family, form, variant = split_name(routine, families)
        section, chapter = families[family]
        rows[chapter][order[family], section, form].append((routine, variant))
    failures = []
    passed = 0
    lines = []
    for _, (_, chapter) in families.items():
        if chapter not in rows:
            continue
        lines += ["", f"## {chapter}", "", "| Section | Routine | for | " +
                  " | ".join(f"{pes} PE{'s' if pes > 1 else ''}" for pes in PE_COUNTS) + " |",
                  "|---|---|---|" + "---|" * len(PE_COUNTS)]
        for (_, section, form), members in sorted(rows.pop(chapter).items()):
            cells = []
            for pes in PE_COUNTS:
                good = [routine for routine, _ in members if results.passes(routine, pes)]
                bad = [routine for routine, _ in members if routine not in good]
                failures += [f"{routine} at {pes} PEs: " +
                             ("fails in " + ", ".join(sorted(results.failed[routine, pes]))
                              if results.failed[routine, pes] else "not tested") for routine in bad]
                cells.append("pass" if not bad else f"{len(good)} of {len(members)} pass")
            passed += sum(all(results.passes(routine, pes) for pes in PE_COUNTS)
                          for routine, _ in members)
            variants = ", ".join(variant for _, variant in members if variant)
            lines.append(f"| {section} | `{form}` | {variants} | " + " | ".join(cells) + " |")
    head = [
        "# OpenSHMEM 1.6: what is there and whether its tests pass",
        "",
        "Generated by tools/conformance.py from a test run; do not edit. Each routine is called "
        "with every type it has, to itself and to another PE, with targets in the symmetric heap "
        "and in static data, without a context and with each kind of context, at each number of "
        "PEs. `tests/api/shmem` holds the tests.",
        "",
        f"**{passed} of {len(routines)} routines pass everywhere.** Every one exists as `shmem_` "
        "and as `pshmem_` symbol; the generic routines of C11 and C++ are tested with every type, "
        "as are the inlined forms of p, g, put, get and the atomics.",
        "",
        "TYPENAME stands for each name in the third column, SIZE for each number of bits (`mem`: "
        "bytes, and the name ends in mem instead).",
    ]
    if failures:
        lines += ["", "## What does not pass", ""] + [f"* {failure}" for failure in failures]
    return "\n".join(head + lines) + "\n", failures


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", required=True, help="program that prints the table of routines")
    parser.add_argument("--results", required=True, type=Path, help="folder of the result files")
    parser.add_argument("--page", required=True, type=Path, help="the page to write or to compare")
    parser.add_argument("--check", action="store_true", help="compare only")
    arguments = parser.parse_args()

    listing = subprocess.run([arguments.list], check=True, text=True, capture_output=True).stdout
    routines = [line.split("\t")[1] for line in listing.splitlines()]
    results = Results(arguments.results)
    if results.is_empty:
        print(f"conformance: no results in {arguments.results}; run ctest first", file=sys.stderr)
        return 2
    text, failures = page(routines, results)
    for problem in results.incomplete + failures[:20]:
        print(problem)
    if len(failures) > 20:
        print(f"… and {len(failures) - 20} more")
    if not arguments.check:
        arguments.page.write_text(text)
        print(f"{arguments.page}: {len(routines)} routines, {len(failures)} failures")
        return 0
    if not arguments.page.exists() or arguments.page.read_text() != text:
        print(f"{arguments.page} is not what this run gives; "
              "`cmake --build BUILD --target conformance` writes it anew")
        return 1
    return 1 if failures or results.incomplete else 0


if __name__ == "__main__":
    sys.exit(main())
