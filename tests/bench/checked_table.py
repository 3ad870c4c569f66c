#!/usr/bin/env python3
"""What each routine costs in checked mode (docs/checking.md), by hand: loops of one routine each, generated over routines,
memories, lengths and contexts, their instructions counted by callgrind with and without ISTHMUS_CHECK.

    checked_table.py BUILD [--pes N] [--most TIMES] [PATTERN]

BUILD: the folder of a release build. With one PE the transfers, atomics, waits, queries and the heap are counted, with more
the collectives, the waiting left out, at the PE that takes most. Rows above TIMES (5) are printed, and how many there are
of all; PATTERN, a regular expression, picks rows by name and prints all of them. Ends with 1 if there is a row above.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROUNDS = 32
COLLECTIVE_LENGTHS = [1, 2, 8, 16, 64, 512]
LENGTHS = [*COLLECTIVE_LENGTHS, 1024, 2048, 8192]
# name of a memory: an expression for its i-th part of 512 longs (longer ones overlap), whatever is symmetric first.
SYMMETRIC = {"heap": "(heap + i * 512)", "static": "(data + i % 8 * 512)"}
MEMORIES = {"heap": "(heap2 + i * 512)", "static": "(data2 + i % 8 * 512)", "malloc": "(mine + i * 512)", "stack": "(stack + i % 8 * 512)",
            "mmap": "(mapped + i * 65536)", "constant": "(constants + i % 8 * 512)"}
CONTEXTS = {"": "", "created": "ctx, ", "team": "team_ctx, "}
# type in C, name
TYPES = [("char", "char"), ("int", "int"), ("long", "long"), ("double", "double")]
AMOS = {"fetch": "", "set": ", 3", "swap": ", 3", "compare_swap": ", 1, 3", "fetch_inc": "", "inc": "", "fetch_add": ", 3", "add": ", 3"}
BITS = ["and", "or", "xor"]
COLLECTIVES = {
    "barrier_all": "shmem_barrier_all()", "sync_all": "shmem_sync_all()", "team_sync": "shmem_team_sync(SHMEM_TEAM_WORLD)",
    "barrier_set": "shmem_barrier(0, 0, pes, sync)", "sync_set": "shmem_sync(0, 0, pes, sync)",
}
SIZED_COLLECTIVES = {
    "broadcast": "shmem_long_broadcast(SHMEM_TEAM_WORLD, {d}, {s}, {n}, 0)", "collect": "shmem_long_collect(SHMEM_TEAM_WORLD, {d}, {s}, {n})",
    "fcollect": "shmem_long_fcollect(SHMEM_TEAM_WORLD, {d}, {s}, {n})", "alltoall": "shmem_long_alltoall(SHMEM_TEAM_WORLD, {d}, {s}, {n})",
    "alltoalls": "shmem_long_alltoalls(SHMEM_TEAM_WORLD, {d}, {s}, 1, 1, {n})",
    "broadcastmem": "shmem_broadcastmem(SHMEM_TEAM_WORLD, {d}, {s}, 8 * {n}, 0)",
    "broadcast_set": "shmem_broadcast64({d}, {s}, {n}, 0, 0, 0, pes, sync)", "collect_set": "shmem_collect64({d}, {s}, {n}, 0, 0, pes, sync)",
    "fcollect_set": "shmem_fcollect64({d}, {s}, {n}, 0, 0, pes, sync)", "alltoall_set": "shmem_alltoall64({d}, {s}, {n}, 0, 0, pes, sync)",
    "sum_set": "shmem_long_sum_to_all({d}, {s}, {n}, 0, 0, pes, work, sync)",
    **{name: f"shmem_long_{name}_reduce(SHMEM_TEAM_WORLD, {{d}}, {{s}}, {{n}})" for name in ("sum", "prod", "min", "max")},
    **{name: f"shmem_ulong_{name}_reduce(SHMEM_TEAM_WORLD, {{d}}, {{s}}, {{n}})" for name in BITS},
    **{name: f"shmem_long_{name}(SHMEM_TEAM_WORLD, {{d}}, {{s}}, {{n}})" for name in ("sum_inscan", "sum_exscan")},
}


def make_transfers():
    """Name and call of each row for one PE."""
    for length in LENGTHS:
        for known in (True, False):
            count = str(length) if known else f"(size_t)zero + {length}"
            for there, at in SYMMETRIC.items():
                for here, mine in MEMORIES.items():
                    for context, argument in CONTEXTS.items():
                        inner = f"{'ctx_' if context else ''}"
                        where = f"{length} {'known' if known else 'any'} {there} {here} {context}".strip()
                        for type_, name in (TYPES if length == 1 else [("long", "long")]):
                            a, b = f"({type_}*){at}", f"({type_}*){mine}"
                            for nbi in ("", "_nbi"):
                                yield f"{name}_put{nbi} {where}", f"shmem_{inner}{name}_put{nbi}({argument}{a}, {b}, {count}, pe)"
                                if here != "constant":
                                    yield f"{name}_get{nbi} {where}", f"shmem_{inner}{name}_get{nbi}({argument}{b}, {a}, {count}, pe)"
                        for nbi in ("", "_nbi"):
                            for operation in ("SET", "ADD"):
                                yield (f"put_signal{nbi} {operation} {where}",
                                       f"shmem_{inner}long_put_signal{nbi}({argument}{at}, {mine}, {count}, &raised, 1, SHMEM_SIGNAL_{operation}, pe)")
                        if known:
                            for routine, order in (("iput", f"{at}, {mine}, 1, 1"), ("iget", f"{mine}, {at}, 1, 1")):
                                if here == "constant" and routine == "iget":
                                    continue
                                half = (length + 1) // 2
                                yield f"{routine} {where}", f"shmem_{inner}long_{routine}({argument}{order[:-4]}1, 1, {count}, pe)"
                                yield f"{routine} strided {where}", f"shmem_{inner}long_{routine}({argument}{order[:-4]}2, 2, {half}, pe)"
                                if length >= 8:
                                    yield (f"{routine[0]}b{routine[1:]} {where}",
                                           f"shmem_{inner}long_ib{routine[1:]}({argument}{order[:-4]}4, 4, 2, {length} / 4, pe)")
                        yield f"putmem {where}", f"shmem_{inner}putmem({argument}{at}, {mine}, {count}, pe)"
                        yield f"put32 {where}", f"shmem_{inner}put32({argument}{at}, {mine}, {count}, pe)"
                        if here != "constant":
                            yield f"getmem {where}", f"shmem_{inner}getmem({argument}{mine}, {at}, {count}, pe)"


def make_words():
    for there, at in SYMMETRIC.items():
        for context, argument in CONTEXTS.items():
            inner = "ctx_" if context else ""
            where = f"{there} {context}".strip()
            for type_, name in TYPES:
                yield f"{name}_p {where}", f"shmem_{inner}{name}_p({argument}({type_}*){at}, 1, pe)"
                yield f"{name}_g {where}", f"sum += (long)shmem_{inner}{name}_g({argument}({type_}*){at}, pe)"
            for type_, name in (("int", "int"), ("long", "long"), ("unsigned long", "ulong")):
                operations = dict(AMOS)
                if name == "ulong":
                    operations = {f"{fetch}{bit}": ", 3" for bit in BITS for fetch in ("", "fetch_")}
                for operation, operands in operations.items():
                    target = f"({type_}*){at}"
                    yield f"{name}_atomic_{operation} {where}", f"(void)shmem_{inner}{name}_atomic_{operation}({argument}{target}{operands}, pe)"
                    if operation.startswith("fetch") or operation.endswith("swap"):
                        yield (f"{name}_atomic_{operation}_nbi {where}",
                               f"shmem_{inner}{name}_atomic_{operation}_nbi({argument}({type_}*)mine, {target}{operands}, pe)")
            for operation in ("fetch", "set", "swap"):
                yield (f"double_atomic_{operation} {where}",
                       f"(void)shmem_{inner}double_atomic_{operation}({argument}(double*){at}{'' if operation == 'fetch' else ', 3'}, pe)")
        where, words = there, f"(uint64_t*){at}"
        yield f"signal_set {where}", f"shmem_signal_set({words}, 1, pe)"
        yield f"signal_add {where}", f"shmem_signal_add({words}, 1, pe)"
        yield f"signal_fetch {where}", f"sum += (long)shmem_signal_fetch({words})"
        yield f"signal_wait {where}", f"sum += (long)shmem_signal_wait_until({words}, SHMEM_CMP_NE, 77)"
        for name, type_ in (("int", "int"), ("long", "long")):
            target = f"({type_}*){at}"
            yield f"{name}_test {where}", f"sum += shmem_{name}_test({target}, SHMEM_CMP_NE, 77)"
            yield f"{name}_wait {where}", f"shmem_{name}_wait_until({target}, SHMEM_CMP_NE, 77)"
            for several in (1, 4, 64):
                for vector, value in (("", "77"), ("_vector", f"({type_}*)others")):
                    for routine in ("test", "wait_until"):
                        for which in ("all", "any", "some"):
                            indices = "indices, " if which == "some" else ""
                            yield (f"{name}_{routine}_{which}{vector} {several} {where}",
                                   f"(void)shmem_{name}_{routine}_{which}{vector}({target}, {several}, {indices}NULL, SHMEM_CMP_NE, {value})")


def make_others():
    for size in (8, 64, 512, 4096, 16384, 65536, 262144, 1048576):
        yield f"malloc free {size}", f"shmem_free(shmem_malloc({size}))"
        yield f"malloc_with_hints free {size}", f"shmem_free(shmem_malloc_with_hints({size}, SHMEM_MALLOC_ATOMICS_REMOTE))"
        yield f"calloc free {size}", f"shmem_free(shmem_calloc(1, {size}))"
        yield f"align 64 free {size}", f"shmem_free(shmem_align(64, {size}))"
        yield f"align 4096 free {size}", f"shmem_free(shmem_align(4096, {size}))"
        yield f"realloc {size}", f"shmem_free(shmem_realloc(shmem_malloc({size}), {size} / 2))"
    yield "free null", "shmem_free(NULL)"
    for name, address in {**SYMMETRIC, "malloc": "mine", "stack": "stack"}.items():
        yield f"ptr {name}", f"sum += shmem_ptr({address}, pe) != 0"
        yield f"addr_accessible {name}", f"sum += shmem_addr_accessible({address}, pe)"
    for call in ("my_pe()", "n_pes()", "pe_accessible(pe)", "team_my_pe(SHMEM_TEAM_WORLD)", "team_n_pes(SHMEM_TEAM_WORLD)",
                 "team_translate_pe(SHMEM_TEAM_WORLD, 0, SHMEM_TEAM_SHARED)"):
        yield call, f"sum += shmem_{call}"
    yield "ctx_get_team", "shmem_team_t team; shmem_ctx_get_team(ctx, &team)"
    yield "team_get_config", "shmem_team_config_t config; shmem_team_get_config(SHMEM_TEAM_WORLD, 0, &config)"
    yield "ctx_create destroy", "shmem_ctx_t one; shmem_ctx_create(0, &one); shmem_ctx_destroy(one)"
    yield "team_split destroy", "shmem_team_t one; shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, 1, NULL, 0, &one); shmem_team_destroy(one)"
    for call in ("quiet()", "fence()", "ctx_quiet(ctx)", "ctx_fence(ctx)", "ctx_quiet(team_ctx)", "pe_quiet(&pe, 1)"):
        yield call, f"shmem_{call}"
    yield "lock", "shmem_set_lock(&lock); shmem_clear_lock(&lock)"
    yield "test_lock", "sum += shmem_test_lock(&lock); shmem_clear_lock(&lock)"
    # Pages far apart, as sparse as may be: the library is not to ask about each again.
    for apart in (4096, 1 << 20, 4 << 20, 1 << 30):
        yield f"long_put 1 known heap apart {apart}", f"shmem_long_put(heap, (long*)(sparse + (size_t)(i % 16) * {apart}), 1, pe)"
        yield f"long_put 16 known heap apart {apart}", f"shmem_long_put(heap, (long*)(sparse + (size_t)(i % 16) * {apart}), 16, pe)"
    yield "sweep of 256 MiB, 4 KiB apart", "for (long k = 0; k < 1024; ++k) shmem_long_put(heap, (long*)(sparse + (size_t)(i * 1024 + k) * 4096), 1, pe)"


def make_collectives():
    yield from COLLECTIVES.items()
    for length in COLLECTIVE_LENGTHS:
        for there, at in SYMMETRIC.items():
            dest = at.replace("i * 512", "i % 8 * 4096").replace("data +", "data + 0 *")
            for name, call in SIZED_COLLECTIVES.items():
                source = MEMORIES[there].replace("i * 512", "i % 8 * 4096").replace("data2 +", "data2 + 0 *")
                yield f"{name} {length} {there}", call.format(d=dest, s=source, n=length)


HEAD = """#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#define PROBE __attribute__((noinline, noclone, used))
#define LONGS (64 * 512 + 4096)
static long data[8 * 512 + 8192], data2[8 * 512 + 8192];
static const long constants[8 * 512 + 8192] = {1};
static uint64_t raised;
static long lock, work[SHMEM_REDUCE_MIN_WRKDATA_SIZE + 512], in_turn[4][SHMEM_SYNC_SIZE];
static size_t indices[64];
static volatile size_t zero_now;
struct Place {
    long *heap, *heap2, *mine, *mapped, *stack, *others;
    char* sparse;
    shmem_ctx_t ctx, team_ctx;
    int pe, pes;
};
#define ROW(NUMBER, ...)                                                                      \\
    PROBE long row_##NUMBER(const struct Place* place) {                                      \\
        long *const heap = place->heap, *const heap2 = place->heap2, *const mine = place->mine; \\
        long *const mapped = place->mapped, *const stack = place->stack, *const others = place->others; \\
        char* const sparse = place->sparse;                                                   \\
        const shmem_ctx_t ctx = place->ctx, team_ctx = place->team_ctx;                       \\
        const int pe = place->pe, pes = place->pes;                                           \\
        const size_t zero = zero_now;                                                         \\
        long sum = 0;                                                                         \\
        (void)heap, (void)heap2, (void)mine, (void)mapped, (void)stack, (void)sparse, (void)ctx, (void)team_ctx, (void)pe; \\
        (void)pes, (void)zero, (void)others;                                                  \\
        for (long i = 0; i < ROUNDS; ++i) {                                                   \\
            long* const sync = in_turn[i % 4];                                                \\
            (void)sync;                                                                       \\
            __VA_ARGS__;                                                                      \\
        }                                                                                     \\
        return sum;                                                                           \\
    }
"""
MAIN = """
PROBE long counted(long (*row)(const struct Place*), const struct Place* place) { return row(place) + 1; }
int main(void) {
    shmem_init();
    static struct Place place;
    long stack[8 * 512 + 8192];
    for (int i = 0; i < 8 * 512 + 8192; ++i) stack[i] = i;
    place.heap = shmem_calloc(LONGS, sizeof(long));
    place.heap2 = shmem_calloc(LONGS, sizeof(long));
    place.mine = calloc(LONGS, sizeof(long));
    place.others = malloc(64 * sizeof(long));
    for (int i = 0; i < 64; ++i) place.others[i] = 0x4d0000004d; /* 77 as ints, too, and no long here has that */
    place.stack = stack;
    place.sparse = mmap(NULL, (size_t)20 << 30, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    place.mapped = (long*)place.sparse;
    place.pes = shmem_n_pes();
    shmem_ctx_create(0, &place.ctx);
    shmem_team_create_ctx(SHMEM_TEAM_WORLD, 0, &place.team_ctx);
    for (int i = 0; i < 4 * SHMEM_SYNC_SIZE; ++i) in_turn[i % 4][i / 4] = SHMEM_SYNC_VALUE;
    shmem_barrier_all();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        rows[i](&place);
        counted(rows[i], &place);
    }
    shmem_finalize();
    return 0;
}
"""
WAITING = "isthmus::collective::await_cell(*"


def build(folder, rows, build_folder):
    source = pathlib.Path(folder) / "rows.c"
    lines = [f"#define ROUNDS {ROUNDS}", HEAD, *(f"ROW({i}, {call})" for i, (_, call) in enumerate(rows)),
             "static long (*const rows[])(const struct Place*) = {", *(f"row_{i}," for i in range(len(rows))), "};", MAIN]
    source.write_text("\n".join(lines))
    program = str(source.with_suffix(""))
    subprocess.run([f"{build_folder}/bin/oshcc", "-O2", "-w", "-o", program, str(source)], check=True)
    return program


def count(program, checked, pes, launcher):
    """Instructions of each row, by number."""
    out = f"{program}.counts.{int(checked)}"
    more = [f"--toggle-collect={WAITING}"] if pes > 1 else []
    subprocess.run([launcher, "run", "-n", str(pes), "valgrind", "-q", "--tool=callgrind", "--collect-atstart=no",
                    "--toggle-collect=counted", "--dump-line=no", f"--callgrind-out-file={out}.%p", *more, program], check=True,
                   env={"PATH": os.environ["PATH"], "ISTHMUS_CHECK": str(int(checked)), "LD_BIND_NOW": "1", "SHMEM_SYMMETRIC_SIZE": "64M"})
    totals = {}
    for path in pathlib.Path(program).parent.glob(f"{pathlib.Path(out).name}.*"):
        names, caller, callee = {}, None, None
        for line in path.read_text().splitlines():
            if match := re.match(r"(c?fn)=\((\d+)\)(?: (.*))?", line):
                kind, number, name = match.groups()
                names.setdefault(number, name)
                if kind == "fn":
                    caller = names[number]
                else:
                    callee = names[number]
            elif line.startswith("calls="):
                pass
            elif callee is not None:
                if caller == "counted" and callee.startswith("row_"):
                    row = int(callee[4:].split("'")[0])
                    totals[row] = max(totals.get(row, 0), int(line.split()[1]))
                callee = None
    return totals


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("build")
    options.add_argument("--pes", type=int, default=1)
    options.add_argument("--most", type=float, default=5)
    options.add_argument("pattern", nargs="?")
    chosen = options.parse_args()
    makers = [make_transfers, make_words, make_others] if chosen.pes == 1 else [make_collectives]
    rows = [row for maker in makers for row in maker() if not chosen.pattern or re.search(chosen.pattern, row[0])]
    with tempfile.TemporaryDirectory() as folder:
        program = build(folder, rows, chosen.build)
        plain, checked = (count(program, way, chosen.pes, f"{chosen.build}/bin/isthmus") for way in (False, True))
    missing = [rows[i][0] for i in range(len(rows)) if not plain.get(i) or not checked.get(i)]
    if missing:
        sys.exit(f"not counted: {missing}")
    table = sorted(((checked[i] / plain[i], plain[i] / ROUNDS, checked[i] / ROUNDS, name) for i, (name, _) in enumerate(rows)), reverse=True)
    above = [row for row in table if row[0] > chosen.most]
    for times, before, now, name in table if chosen.pattern else above:
        print(f"{times:6.2f}  {before:8.0f} {now:8.0f}  {name}")
    print(f"{len(above)} of {len(table)} rows above {chosen.most:g} times; the most is {table[0][0]:.2f}: {table[0][3]}")
    return 1 if above else 0


if __name__ == "__main__":
    sys.exit(main())
