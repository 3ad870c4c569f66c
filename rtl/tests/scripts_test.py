#!/usr/bin/env python3
"""What the scripts of rtl/ say, where no tool is needed to ask."""
import sys
import unittest
from pathlib import Path

RTL = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(RTL / "formal"))
sys.path.insert(0, str(RTL / "tests"))
import coverage  # noqa: E402
import prove  # noqa: E402


class Prove(unittest.TestCase):
    def test_only_what_is_proved_reaches_anywhere(self):
        self.assertEqual(prove.reach("prove", 3, "PASS"), "unbounded")
        self.assertEqual(prove.reach("bmc", 14, "PASS"), "bounded, depth 14")
        for result in ("UNKNOWN", "FAIL", "ERROR", "TIMEOUT"):
            for mode in ("prove", "bmc"):
                self.assertEqual(prove.reach(mode, 14, result), "-", result)


class Coverage(unittest.TestCase):
    def point(self, what):
        return coverage.Point("engine/a.sv", 1, 1, "toggle", what)

    def test_bits_that_cannot_change_are_not_in_the_score(self):
        reasons = coverage.still([{"reason": "tied", "bits": {"engine/a.sv": ["cmd.tag[0][2:1]", "flag"]}}])
        self.assertEqual(sorted(bit for _, bit in reasons), ["cmd.tag[0][1]", "cmd.tag[0][2]", "flag"])
        counts = {self.point("cmd.tag[0][0]"): 4, self.point("cmd.tag[0][1]"): 0, self.point("cmd.tag[0][2]"): 0,
                  self.point("flag"): 0, self.point("other"): 0}
        self.assertEqual(coverage.summary(counts, reasons), {"engine/a.sv": {"toggle": [1, 2]}})
        self.assertEqual(coverage.wrongly_still(counts, reasons), [])

    def test_a_bit_that_changes_is_told(self):
        reasons = coverage.still([{"reason": "tied", "bits": {"engine/a.sv": ["flag", "gone"]}},
                                  {"reason": " ", "bits": {"engine/a.sv": ["other"]}}])
        wrong = coverage.wrongly_still({self.point("flag"): 1, self.point("other"): 0}, reasons)
        self.assertEqual([w.split(":")[0] for w in wrong],
                         ["cannot change, and does", "cannot change, and is not there", "no reason"])


if __name__ == "__main__":
    unittest.main()
