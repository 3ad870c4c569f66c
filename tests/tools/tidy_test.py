#!/usr/bin/env python3
"""tools/tidy.py looks at sources together, and still follows the paths in each.

    tidy_test.py TIDY      exit status 77: clang-tidy is not installed
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

SOUND = "namespace base {\nint one() { return 1; }\n}  // namespace base\n"
# Only who follows the path on which nothing is ready sees it.
NULL = """namespace base {
int pick(bool ready, int* value) {
    int* found = nullptr;
    if (ready)
        found = value;
    return *found;
}
}  // namespace base
"""


def look(tidy, texts):
    """What is printed about sources of these texts, compiled alike, and the exit status."""
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, "src"))
        shutil.copy(".clang-tidy", folder)
        files = [os.path.join(folder, "src", f"{number}.cpp") for number in range(len(texts))]
        for file, text in zip(files, texts):
            with open(file, "w", encoding="utf-8") as source:
                source.write(text)
        with open(os.path.join(folder, "compile_commands.json"), "w", encoding="utf-8") as commands:
            json.dump([{"directory": folder, "file": file, "command": f"c++ -std=c++20 -o {file}.o -c {file}"}
                       for file in files], commands)
        run = subprocess.run([sys.executable, tidy, folder, *files], stdout=subprocess.PIPE, text=True, check=False)
        return run.stdout, run.returncode


def main():
    if not shutil.which("clang-tidy"):
        print("skipped: clang-tidy is not installed")
        return 77
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
    tidy = os.path.abspath(sys.argv[1])
    for texts, found in (([SOUND, SOUND.replace("one", "two")], False), ([NULL], True), ([SOUND, NULL], True)):
        said, status = look(tidy, texts)
        assert status == int(found), (said, status)
        assert ("Dereference of null pointer" in said) == found, said
    return 0


if __name__ == "__main__":
    sys.exit(main())
