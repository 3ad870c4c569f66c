"""What callgrind has written, for the tests of this folder."""


def totals_by_probe(text):
    """The instructions of each call of a function that --dump-after names, in their order."""
    totals, probe = {}, None
    for line in text.splitlines():
        if line.startswith("desc: Trigger: "):
            probe = line.partition("--dump-after=")[2]
        elif line.startswith("summary: ") and probe:
            totals.setdefault(probe, []).append(int(line.split()[1]))
    return totals
