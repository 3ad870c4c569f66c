"""Two engines behind AXI4, against the AXI models of cocotbext-axi: what a master of one node stores
and loads is in the memory of the other."""
import logging
import random
import sys
from pathlib import Path
from types import SimpleNamespace

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, Combine, RisingEdge
from cocotb.utils import get_sim_time
from cocotbext.axi import (AxiBurstType, AxiBus, AxiLiteBus, AxiLiteMaster, AxiMaster, AxiRam, AxiResp, AxiSlave,
                           SparseMemoryRegion)

sys.path.append(str(Path(__file__).resolve().parents[2] / "tools"))
from registers import load  # noqa: E402

registers = SimpleNamespace(**{r["name"].upper(): r["offset"] for r in load()[0]})
SHARE_BITS = 16                   # of the global address below the node
SHARE = 1 << SHARE_BITS
ORIGIN = 1 << 40
PERIOD = 6                        # ns
POSTED, ANSWERED = 3, 0           # AxCACHE: bufferable or not


def base(node):
    return (node << 36) + (3 << 30)


def where(node, offset):
    """Global address of a byte of a node's share."""
    return ORIGIN + (node << SHARE_BITS) + offset


def cycles():
    return get_sim_time("ns") / PERIOD


class Bench:
    """Both nodes with their masters, memories and registers."""

    def __init__(self, dut, memories=None):
        self.dut = dut
        for name in ("s0_axi", "s1_axi", "m0_axi", "m1_axi", "s0_axil", "s1_axil"):
            logging.getLogger(f"cocotb.axi_pair.{name}").setLevel(logging.WARNING)
        reset = {"reset": dut.rst_ni, "reset_active_level": False}
        dut.rst_ni.value = 0
        cocotb.start_soon(Clock(dut.clk_i, PERIOD, unit="ns").start())
        self.cpu = [AxiMaster(AxiBus.from_prefix(dut, f"s{n}_axi"), dut.clk_i, **reset) for n in range(2)]
        self.ram = memories(dut, reset) if memories else [
            AxiRam(AxiBus.from_prefix(dut, f"m{n}_axi"), dut.clk_i, size=SHARE, **reset) for n in range(2)]
        self.registers = [AxiLiteMaster(AxiLiteBus.from_prefix(dut, f"s{n}_axil"), dut.clk_i, **reset) for n in range(2)]

    async def set(self, node, register, value):
        await self.registers[node].write_dword(register, value & 0xffffffff)

    async def get(self, node, register):
        return await self.registers[node].read_dword(register)

    async def start(self):
        await ClockCycles(self.dut.clk_i, 5)
        self.dut.rst_ni.value = 1
        await ClockCycles(self.dut.clk_i, 2100)  # tables are emptied
        for node in range(2):
            pages = (ORIGIN >> 12, (ORIGIN + 2 * SHARE - 1) >> 12)
            lines = (base(node) >> 6, (base(node) + SHARE // 8 * 7 - 1) >> 6)
            for register, value in (
                    (registers.NODE_ID, node), (registers.ORIGIN_START_LO, ORIGIN),
                    (registers.ORIGIN_START_HI, ORIGIN >> 32), (registers.MASK_LO, SHARE),
                    (registers.GLOBAL_WIDTH, SHARE_BITS + 1), (registers.INTERVAL_FIRST, pages[0]),
                    (registers.INTERVAL_LAST, pages[1]), (registers.INTERVAL_CONTROL, 1),
                    (registers.WINDOW_FIRST, lines[0]), (registers.WINDOW_LAST, lines[1]),
                    (registers.WINDOW_ORIGINS, 2 << 16),
                    (registers.WINDOW_CONTROL, 0xf | lines[0] >> 32 << 4 | lines[1] >> 32 << 14)):
                await self.set(node, register, value)
            for other in range(2):
                await self.set(node, registers.NODE_INDEX, other)
                await self.set(node, registers.NODE_BASE_LO, base(other) >> 6)
                await self.set(node, registers.NODE_BASE_HI, base(other) >> 38 | 1 << 10)
            while not await self.get(node, registers.STATUS) & 1:
                pass
            await self.set(node, registers.CONTROL, 5)  # enable, compact

    def hold(self, start, chance):
        """Random back-pressure on all channels of all ports."""
        generator = random.Random(start)

        def pauses():
            while True:
                yield generator.random() < chance

        for port in self.cpu + self.ram:
            for channel in (port.write_if.aw_channel, port.write_if.w_channel, port.write_if.b_channel,
                            port.read_if.ar_channel, port.read_if.r_channel):
                channel.set_pause_generator(pauses())


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def every_size_and_place(dut):
    """One store and one load of each length at each offset of a word and around a line's end."""
    bench = Bench(dut)
    await bench.start()
    expected = bytearray(4096)
    value = 1
    for posted in (POSTED, ANSWERED):
        for offset in (*range(8), *range(56, 64), 92):
            for length in (1, 2, 3, 4, 5, 8, 12, 16, 17, 32, 60, 64, 65, 130):
                data = bytes((value + i) % 251 + 1 for i in range(length))
                value += 7
                place = 128 + offset
                assert (await bench.cpu[0].write(where(1, place), data, cache=posted)).resp == AxiResp.OKAY
                expected[place:place + length] = data
                answer = await bench.cpu[0].read(where(1, place), length)
                assert answer.resp == AxiResp.OKAY and answer.data == data, (posted, offset, length)
    # Not a byte beside them.
    assert bench.ram[1].read(0, len(expected)) == bytes(expected)
    assert bench.ram[0].read(0, SHARE) == bytes(SHARE)


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def narrow_wrapping_fixed(dut):
    """Bursts of each kind and beat size, those of a cache that wants the middle of its line first too."""
    bench = Bench(dut)
    await bench.start()
    for size in range(4):
        length = (1 << size) * 11
        data = bytes(range(1, 1 + length))
        for start in range(0, 64, 1 << size):
            await bench.cpu[0].write(where(1, 2048 + start), data, size=size, cache=POSTED)
            assert (await bench.cpu[0].read(where(1, 2048 + start), length, size=size)).data == data, (size, start)
    # Of the model's wrapping bursts only those of whole words name the right lanes.
    for length in (16, 32, 64):
        data = bytes(range(1, 1 + length))
        for start in range(0, length, 8):
            place = 256 + start
            await bench.cpu[0].write(where(1, place), data, burst=AxiBurstType.WRAP, cache=POSTED)
            turned = data[length - start:] + data[:length - start]
            assert (await bench.cpu[0].read(where(1, 256), length)).data == turned, (length, start)
            answer = await bench.cpu[0].read(where(1, place), length, burst=AxiBurstType.WRAP)
            assert answer.data == data, (length, start)
    # Over two lines.
    data = bytes(random.Random(3).randbytes(128))
    await bench.cpu[0].write(where(1, 512 + 40), data, burst=AxiBurstType.WRAP, cache=ANSWERED)
    assert bench.ram[1].read(512, 128) == data[88:] + data[:88]
    assert (await bench.cpu[0].read(where(1, 512 + 40), 128, burst=AxiBurstType.WRAP, size=3)).data == data
    # Of a fixed burst the last beat stays.
    await bench.cpu[0].write(where(1, 1024), bytes(range(32)), burst=AxiBurstType.FIXED, cache=ANSWERED)
    assert bench.ram[1].read(1024, 8) == bytes(range(24, 32))
    assert (await bench.cpu[0].read(where(1, 1024), 32, burst=AxiBurstType.FIXED, size=3)).data == bytes(range(24, 32)) * 4


async def storm(dut, start, chance, operations):
    """Stores and loads of random kind and length, many at once from both nodes, each stream in its own
    part of the other node's memory, against a copy of it."""
    bench = Bench(dut)
    await bench.start()
    bench.hold(start, chance)
    streams, part = 6, SHARE // 8 * 7 // 8
    copies = [bytearray(SHARE), bytearray(SHARE)]

    async def stream(node, which):
        generator = random.Random(start * 100 + node * 10 + which)
        low, copy, other = which * part, copies[1 - node], 1 - node
        for _ in range(operations):
            length = generator.choice((1, 2, 4, 8, 8, 64, 64, generator.randrange(1, 700)))
            place = low + generator.randrange(part - length)
            if generator.random() < 0.7:
                place &= ~7
            size = generator.choice((0, 1, 2, 3, 3, 3, 3))
            cache = generator.choice((POSTED, ANSWERED))
            if generator.random() < 0.5:
                data = generator.randbytes(length)
                answer = await bench.cpu[node].write(where(other, place), data, size=size, cache=cache)
                assert answer.resp == AxiResp.OKAY
                copy[place:place + length] = data
            else:
                answer = await bench.cpu[node].read(where(other, place), length, size=size)
                assert answer.resp == AxiResp.OKAY
                assert answer.data == copy[place:place + length], (node, which, place, length)

    await Combine(*[cocotb.start_soon(stream(node, which)) for node in range(2) for which in range(streams)])
    await ClockCycles(dut.clk_i, 2000)
    for node in range(2):
        assert bench.ram[node].read(0, SHARE) == bytes(copies[node])
        assert await bench.get(node, registers.STATUS) >> 1 & 2047 == 0  # no tag left


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def storm_without_stalls(dut):
    await storm(dut, 1, 0.0, 100)


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def storm_with_stalls(dut):
    await storm(dut, 2, 0.4, 100)


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def errors_come_back(dut):
    """Nobody's address is DECERR, a refused one SLVERR; a posted store cannot say so and is counted."""
    bench = Bench(dut)
    await bench.start()
    cpu, word = bench.cpu[0], bytes(8)
    outside, refused, own = ORIGIN + 2 * SHARE, where(1, SHARE - 64), where(0, 64)
    for address, resp in ((outside, AxiResp.DECERR), (own, AxiResp.DECERR), (refused, AxiResp.SLVERR)):
        assert (await cpu.read(address, 8)).resp == resp
        assert (await cpu.write(address, word, cache=ANSWERED)).resp == resp
        assert (await cpu.write(address, word, cache=POSTED)).resp == AxiResp.OKAY
    # The worst of a burst's packets counts; what was allowed is done.
    edge = SHARE // 8 * 7
    assert (await cpu.write(where(1, edge - 64), b"x" * 128, cache=ANSWERED)).resp == AxiResp.SLVERR
    assert (await cpu.read(where(1, edge - 64), 128)).resp == AxiResp.SLVERR
    assert bench.ram[1].read(edge - 64, 128) == b"x" * 64 + bytes(64)
    assert await bench.get(0, registers.COUNT_P_DROPPED_ORIGIN) == 2
    assert await bench.get(1, registers.COUNT_P_DROPPED_TARGET) == 1
    # After errors the way is free.
    assert (await cpu.write(where(1, 0), b"abcdefgh")).resp == AxiResp.OKAY
    assert (await cpu.read(where(1, 0), 8)).data == b"abcdefgh"


class Broken(SparseMemoryRegion):
    """Memory whose last part does not answer."""

    async def _write(self, address, data, **kwargs):
        if address % SHARE >= SHARE // 2:
            raise OSError("broken")
        await super()._write(address, data, **kwargs)

    async def _read(self, address, length, **kwargs):
        if address % SHARE >= SHARE // 2:
            raise OSError("broken")
        return await super()._read(address, length, **kwargs)


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def errors_of_the_memory(dut):
    """An error of the other node's memory reaches the master; of a posted store, that node."""
    def broken(dut, reset):
        memories = []
        for node in range(2):
            memories.append(AxiSlave(AxiBus.from_prefix(dut, f"m{node}_axi"), dut.clk_i, target=Broken(1 << 48), **reset))
        return memories

    bench = Bench(dut, broken)
    await bench.start()
    for offset in (0, 4, 63):
        assert (await bench.cpu[0].read(where(1, SHARE // 2 + offset), 1)).resp == AxiResp.SLVERR
        assert (await bench.cpu[0].write(where(1, SHARE // 2 + offset), b"x", cache=ANSWERED)).resp == AxiResp.SLVERR
    seen = []

    async def watch():
        while True:
            await RisingEdge(dut.clk_i)
            if dut.posted_error1_o.value == 1:
                seen.append(cycles())

    cocotb.start_soon(watch())
    assert (await bench.cpu[0].write(where(1, SHARE // 2), b"x" * 64, cache=POSTED)).resp == AxiResp.OKAY
    assert (await bench.cpu[0].read(where(1, 0), 8)).resp == AxiResp.OKAY
    assert len(seen) == 1


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def load_comes_behind_stores(dut):
    """Posted stores are visible when a later load of their node, or a flag stored behind them, is."""
    bench = Bench(dut)
    await bench.start()
    bench.hold(5, 0.3)
    for turn in range(1, 30):
        data = bytes([turn]) * 200
        flag = bytes([turn]) * 8
        await bench.cpu[0].write(where(1, 1003), data, cache=POSTED)
        await bench.cpu[0].write(where(1, 4096), flag, cache=POSTED)
        if turn % 2:
            assert (await bench.cpu[0].read(where(1, 1100), 8)).data == bytes([turn]) * 8
        else:
            while bench.ram[1].read(4096, 8) != flag:
                await RisingEdge(dut.clk_i)
        assert bench.ram[1].read(1003, 200) == data


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def registers_refuse_parts(dut):
    bench = Bench(dut)
    await bench.start()
    before = await bench.get(0, registers.MASK_LO)
    answer = await bench.registers[0].write(registers.MASK_LO, b"\xff")
    assert answer.resp == AxiResp.SLVERR
    assert await bench.get(0, registers.MASK_LO) == before == SHARE


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def numbers(dut):
    """Cycles of streams, for the page."""
    bench = Bench(dut)
    await bench.start()
    lines = 128

    async def timed(work):
        began = cycles()
        await work
        return cycles() - began

    data = bytes(range(256)) * (lines // 4)
    async def store_until_visible():
        await bench.cpu[0].write(where(1, 0), data, cache=POSTED)
        while bench.ram[1].read(0, lines * 64) != data:
            await RisingEdge(dut.clk_i)

    stores = await timed(store_until_visible())
    answered = await timed(bench.cpu[0].write(where(1, 0), data, cache=ANSWERED))
    loads = await timed(bench.cpu[0].read(where(1, 0), lines * 64))
    one = await timed(bench.cpu[0].read(where(1, 0), 8))
    dut._log.info("stores %.1f, answered stores %.1f, loads %.1f cycles a line of 64 B; one load of 8 B %.0f cycles",
                  stores / lines, answered / lines, loads / lines, one)
    assert stores / lines <= 22 and loads / lines <= 22 and one <= 80
