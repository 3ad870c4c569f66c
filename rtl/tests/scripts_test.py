#!/usr/bin/env python3
"""What the scripts of rtl/ say, where no tool is needed to ask."""
import sys
import unittest
from pathlib import Path

RTL = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(RTL / "formal"))
sys.path.insert(0, str(RTL / "tests"))
import prove  # noqa: E402


class Prove(unittest.TestCase):
    def test_only_what_is_proved_reaches_anywhere(self):
        self.assertEqual(prove.reach("prove", 3, "PASS"), "unbounded")
        self.assertEqual(prove.reach("bmc", 14, "PASS"), "bounded, depth 14")
        for result in ("UNKNOWN", "FAIL", "ERROR", "TIMEOUT"):
            for mode in ("prove", "bmc"):
                self.assertEqual(prove.reach(mode, 14, result), "-", result)


if __name__ == "__main__":
    unittest.main()
