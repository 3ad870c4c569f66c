#!/usr/bin/env python3
"""Draws isthmus.png, the picture that the demo starts from: an invented isthmus at night.

Two coasts and the strip of land between them, lit from the north-west, with the lights of towns
and of the road that joins them. Only the standard library; the same bytes on every run.
"""
import math
import random
import struct
import sys
import zlib

WIDTH, HEIGHT = 640, 427  # 427 = 7 * 61: does not divide evenly among the usual numbers of PEs
LEVELS = 96  # shades of the land; few enough that the file stays small


def lattice(seed):
    """Value noise: random numbers at whole coordinates, smooth in between."""
    generator = random.Random(seed)
    values = [generator.random() for _ in range(4096)]

    def at(i, j):
        return values[(i * 57 + j * 131 + (i * j) % 17) & 4095]

    def noise(x, y):
        i, j = math.floor(x), math.floor(y)
        u, v = x - i, y - j
        u, v = u * u * (3 - 2 * u), v * v * (3 - 2 * v)
        top = at(i, j) * (1 - u) + at(i + 1, j) * u
        bottom = at(i, j + 1) * (1 - u) + at(i + 1, j + 1) * u
        return top * (1 - v) + bottom * v

    return noise


def elevation(noise, x, y):
    """Height of the land, negative for the sea; x and y run from 0 to 1."""
    rough, size, scale = 0.0, 0.5, 5.0
    for octave in range(6):
        rough += size * (noise(x * scale * 1.5 + 13 * octave, y * scale + 7 * octave) - 0.5)
        size, scale = size / 2, scale * 2
    bend = 0.5 + 0.12 * math.sin(5 * x) - 0.05 * math.sin(11 * x + 1)
    width = 0.115 + 0.9 * (x - 0.52) ** 2
    return 0.8 * (width - abs(y - bend)) + 0.3 * rough


def towns(noise, generator):
    """Places on dry land: position, brightness, radius."""
    found = []
    while len(found) < 60:
        x, y = generator.random(), generator.random()
        if elevation(noise, x, y) > 0.015:
            found.append((x * WIDTH, y * HEIGHT, generator.uniform(0.5, 1.2),
                          generator.uniform(1.0, 3.6)))
    return found


def draw():
    noise = lattice(4)
    height = [[elevation(noise, x / WIDTH, y / HEIGHT) for x in range(WIDTH + 1)]
              for y in range(HEIGHT + 1)]
    picture = []
    for y in range(HEIGHT):
        row = []
        for x in range(WIDTH):
            here = height[y][x]
            if here < 0:
                row.append(0.03 + 0.05 * math.exp(here * 40))
            else:
                slope = (here - height[y][x + 1]) + (here - height[y + 1][x])
                row.append(min(max(0.24 + 0.6 * here + 22 * slope, 0.08), 0.66))
        picture.append(row)
    generator = random.Random(7)
    places = towns(noise, generator)
    places += [(x * WIDTH, (0.5 + 0.12 * math.sin(5 * x) - 0.05 * math.sin(11 * x + 1)) * HEIGHT,
                0.35, 0.9) for x in (i / 150 for i in range(6, 145))]  # the road
    for cx, cy, bright, radius in places:
        reach = int(4 * radius) + 1
        for y in range(max(0, int(cy) - reach), min(HEIGHT, int(cy) + reach + 1)):
            for x in range(max(0, int(cx) - reach), min(WIDTH, int(cx) + reach + 1)):
                distance = ((x - cx) ** 2 + (y - cy) ** 2) / (2 * radius ** 2)
                picture[y][x] += bright * math.exp(-distance)
    return picture


def write_png(path, picture):
    def chunk(kind, data):
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    rows = bytearray()
    for row in picture:
        shades = [min(255, round(min(value, 1.0) * (LEVELS - 1)) * 255 // (LEVELS - 1)) for value in row]
        rows.append(1)  # filter "sub": each byte less its left neighbour
        rows += bytes((shade - left) & 255 for shade, left in zip(shades, [0] + shades))
    header = struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 0, 0, 0, 0)
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) +
                   chunk(b"IDAT", zlib.compress(bytes(rows), 9)) + chunk(b"IEND", b""))


if __name__ == "__main__":
    write_png(sys.argv[1] if len(sys.argv) > 1 else "isthmus.png", draw())
