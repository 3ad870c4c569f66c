#!/usr/bin/env python3
"""Which mistakes are told by name: by default, between hosts, in checked mode. The table of
docs/checking.md is what the programs of this folder give.

found.py check ISTHMUS BINARIES PAGE
found.py write ISTHMUS BINARIES PAGE
"""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

# title, program and its argument
MISTAKES = [
    ("a PE that does not exist", "pe p"),
    ("`shmem_pe_quiet` of a PE that does not exist", "arguments pe_quiet_range"),
    ("a put to a variable on the stack", "address stack"),
    ("a put to a thread-local variable", "address thread_local"),
    ("a put to memory of `malloc`", "address private_heap"),
    ("a put to a null pointer", "address null"),
    ("a long put from a null pointer", "address null_source_long"),
    ("a put to a constant", "address constant"),
    ("a get into a constant", "address get_constant"),
    ("a get into memory that may only be read", "address get_read_only"),
    ("a put to a variable of a shared library that is loaded by `dlopen`", "address named_of_library"),
    ("a put behind the symmetric heap", "address far_past_heap_end"),
    ("a put over the end of the static data", "address over_data"),
    ("a put behind the last static variable", "address past_variables"),
    ("a put behind a static array, into the next variable", "blocks static_past"),
    ("a put in front of the first block", "blocks put_in_front"),
    ("a put from in front of the first block", "blocks source_in_front"),
    ("a get to in front of the first block", "blocks dest_in_front"),
    ("a put behind a block", "blocks put_past"),
    ("a put over the end of a block", "blocks put_across"),
    ("a strided put over the end of a block", "blocks strided_past"),
    ("a get behind a block", "blocks get_past"),
    ("an atomic behind a block", "blocks atomic_past"),
    ("a signal behind a block", "blocks signal_past"),
    ("a wait for a word that is not aligned", "watched wait_misaligned"),
    ("a wait for a variable on the stack, satisfied", "watched wait_on_stack"),
    ("a wait for a block that was freed, satisfied", "watched wait_freed"),
    ("a wait behind a block, satisfied", "watched wait_past"),
    ("a wait for several words over the end of a block", "watched any_across"),
    ("a test of a word that is not aligned", "watched test_misaligned"),
    ("a test of a variable on the stack", "watched test_on_stack"),
    ("a test of a block that was freed", "watched test_freed"),
    ("a test behind a block", "watched test_past"),
    ("a test of several words over the end of a block", "watched test_all_across"),
    ("`shmem_signal_fetch` of a word that is not aligned", "watched fetch_misaligned"),
    ("`shmem_signal_fetch` of a variable on the stack", "watched fetch_on_stack"),
    ("`shmem_signal_fetch` of a block that was freed", "watched fetch_freed"),
    ("`shmem_signal_fetch` behind a block", "watched fetch_past"),
    ("the source of a put reaches over the end of its block", "blocks source_past"),
    ("the destination of a get reaches over the end of its block", "blocks dest_past"),
    ("the place of a fetched value is behind a block", "blocks fetched_past"),
    ("the place of a fetched value is in a block that was freed", "blocks fetched_to_freed"),
    ("the source of a put reaches over the end of an array of `malloc`", "blocks malloc_past"),
    ("the source of a put is no memory", "address wild_source"),
    ("the source of a put was given back to the system", "blocks given_back"),
    ("a put to a block that was freed", "blocks put_freed"),
    ("a get from a block that was freed", "blocks get_freed"),
    ("an atomic of a block that was freed", "blocks atomic_freed"),
    ("a put from a block that was freed", "blocks source_freed"),
    ("a put to a block that `shmem_realloc` has moved", "blocks reallocated"),
    ("a store of the program behind a block", "blocks stored_past"),
    ("a store of the program far behind the last block", "blocks stored_far_past"),
    ("a store of the program in front of the first block", "blocks stored_before"),
    ("a store of the program to a block that was freed", "blocks stored_freed"),
    ("a store of the program to a block of 256 KiB or more that was freed", "blocks stored_freed_closed"),
    ("a load of the program from a block of 256 KiB or more that was freed", "blocks loaded_freed_closed"),
    ("a store by a pointer of `shmem_ptr` to a block that was freed", "blocks stored_freed_by_pointer"),
    ("a store of the program to a block after `shmem_finalize`", "blocks stored_after_finalize"),
    ("`shmem_ptr` of a block that was freed", "blocks pointer_freed"),
    ("`shmem_team_ptr` of a block that was freed", "blocks team_pointer_freed"),
    ("a block freed twice", "memory free_twice"),
    ("PEs allocate different sizes", "memory different_sizes"),
    ("PEs allocate with different alignments", "blocks different_alignments"),
    ("PEs allocate with different hints", "blocks different_hints"),
    ("one PE allocates, and the others have left", "memory alone_at_end"),
    ("one PE allocates, and the others are in a barrier", "memory alone_at_equal_barriers"),
    ("one PE allocates, and the others leave behind a barrier", "memory alone_at_barrier"),
    ("PEs free different blocks", "memory different_blocks"),
    ("source and destination of a put overlap", "arguments overlap_put"),
    ("source and destination of a strided put overlap", "arguments overlap_iput"),
    ("a non-blocking fetch of a word into itself", "arguments fetch_on_dest"),
    ("the signal of a put lies in its data", "arguments signal_within"),
    ("an atomic that is not aligned", "address misaligned_fetch"),
    ("a signal that is not aligned", "address misaligned_signal"),
    ("a lock that is not aligned", "address misaligned_lock"),
    ("a lock set twice", "arguments lock_twice"),
    ("a test of a lock that the PE holds itself", "arguments test_of_held"),
    ("a lock is still held at `shmem_finalize`", "arguments lock_kept"),
    ("PEs call different collectives", "collective routines"),
    ("PEs give a collective different sizes", "collective sizes"),
    ("a sum of one PE meets a product of another", "collective operations"),
    ("PEs give a reduction different types of one size", "collective types_of_reduction"),
    ("PEs give a reduction different types", "collective widths_of_reduction"),
    ("PEs give a reduction different sizes", "collective sizes_of_reduction"),
    ("a collective of SHMEM_TEAM_INVALID", "collective invalid_team"),
    ("`shmem_team_sync` of SHMEM_TEAM_INVALID", "collective invalid_team_sync"),
    ("a collective of a team that no split has made", "collective team_of_nobody"),
    ("a pSync that was not set to SHMEM_SYNC_VALUE", "collective psync_unset"),
    ("a pSync that is too short for its block", "collective psync_short"),
    ("a pWrk that is too short for its block", "collective pwrk_short"),
    ("PEs give a collective different roots", "collective roots"),
    ("the destination of an fcollect is too short for its block", "blocks fcollected_past"),
    ("the destination of a collect is too short for all", "blocks collected_past"),
    ("source and destination of a collective overlap", "collective overlap"),
    ("the destination of a collective is on the stack", "collective dest_on_stack"),
    ("a context is destroyed twice", "arguments destroyed_twice"),
    ("a context that no call has made", "arguments no_context"),
    ("a session is stopped that was not started", "arguments session_stop"),
    ("another thread calls with SHMEM_THREAD_SINGLE", "blocks thread_puts"),
    ("another thread uses a context of SHMEM_CTX_PRIVATE", "threads private_put"),
    ("two threads at once use a context of SHMEM_CTX_SERIALIZED", "threads at_once"),
    ("two threads of a PE are in collectives of one team at once", "threads team_at_once"),
    ("a handler of a signal calls a collective within one of the same team", "threads sync_in_signal"),
    ("a put that no fence orders before a signal", "blocks unfenced"),
]
WAYS = {
    "by default": {},
    "between hosts": {"ISTHMUS_TRANSPORT": "loop"},
    "`ISTHMUS_CHECK=1`": {"ISTHMUS_CHECK": "1"},
}
JOBS = 3
NAMED = re.compile(r"^isthmus: PE \d+ \(host \S+\): (?:SIGSEGV, [^\n]* of a freed block of |"
                   r"(?:shmem_\w+|a (?:put|get)[\w ,]*): (?!no progress|waits in vain for PE \d+, which has [^;\n]*$))",
                   re.MULTILINE)
BEGIN, END = "<!-- found: begin -->\n", "<!-- found: end -->"


def is_told(launcher, binaries, mistake, settings):
    environment = {key: value for key, value in os.environ.items()
                   if not key.startswith(("ISTHMUS_", "SHMEM_", "SMA_", "OMPI_", "PMI"))}
    environment.update(SHMEM_SYMMETRIC_SIZE="1M", **settings)
    program, argument = mistake.split()
    command = [launcher, "run", "-n", "2", "--timeout", "4", f"{binaries}/errors_{program}", argument]
    run = subprocess.run(command, env=environment, timeout=60, capture_output=True, text=True,
                         stdin=subprocess.DEVNULL, check=False)
    if "no such case" in run.stderr:
        sys.exit(f"no such case: {mistake}")
    return NAMED.search(run.stderr) is not None


def make_table(launcher, binaries, page):
    """The table, and the titles that break the rule: what a road refuses, checked mode finds."""
    unlike = []
    lines = ["| mistake | " + " | ".join(WAYS) + " |", "|---|" + "---|" * len(WAYS)]
    # Several at once: a job that nobody tells of its mistake mostly waits for the launcher's limit.
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        answers = [[pool.submit(is_told, launcher, binaries, mistake, settings) for settings in WAYS.values()]
                   for _, mistake in MISTAKES]
    rows = page.splitlines()
    for (title, mistake), told in zip(MISTAKES, answers):
        row = next((row for row in rows if row.startswith(f"| {title} |")), f"| {title} |")
        cells = [cell.strip() for cell in row[len(f"| {title} |"):].split("|")] + [""] * len(WAYS)
        # On a busy machine several at once may be too slow for the limit: what the page calls told is asked again, alone.
        told = [one.result() or (cell == "told" and is_told(launcher, binaries, mistake, settings))
                for one, cell, settings in zip(told, cells, WAYS.values())]
        if told[1] and not told[2]:
            unlike.append(title)
        lines.append(f"| {title} | " + " | ".join("told" if one else "" for one in told) + " |")
    return "\n".join(lines) + "\n", unlike


def main():
    action, launcher, binaries, page = sys.argv[1:]
    path = pathlib.Path(page)
    text = path.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    table, after = rest.split(END)
    now, unlike = make_table(launcher, binaries, table)
    if action == "write":
        path.write_text(before + BEGIN + now + END + after, encoding="utf-8")
        return 0
    differing = [f"page  {old}\n  now {new}"
                 for old, new in zip(table.splitlines(), now.splitlines()) if old != new]
    if len(table.splitlines()) != len(now.splitlines()):
        differing.append("the page has other rows")
    differing += [f"told between hosts, and not in checked mode: {title}" for title in unlike]
    print("\n".join(differing) or f"{len(MISTAKES)} mistakes, as the page says")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
