"""check_snippets.py ROOT BIN: every ```c and ```cpp block of every page compiles without a warning.

A block with a main is a program: it is also run on 2 PEs and must succeed. A block without an
#include gets the headers that pages take for granted. A block of statements is put in a function.
"""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import pages

HEADERS = {
    "c": "#include <shmem.h>\n#include <stdint.h>\n#include <stdio.h>\n#include <stdlib.h>\n"
         "#include <string.h>\n",
    "cpp": "#include <shmem.h>\n#include <cstdint>\n#include <cstdio>\n#include <vector>\n",
}
WRAPPER = {"c": "oshcc", "cpp": "oshc++"}
STANDARD = {"c": "-std=gnu11", "cpp": "-std=c++20"}  # pages may use what isthmus.hpp needs


def complete(code, language):
    if "#include" not in code:
        # Something at the left margin that ends in a brace or declares: file scope as it stands.
        at_file_scope = re.search(r"^(static|extern|struct|template|namespace|class|enum)\b|^\w[\w\s*]*\([^;]*\)\s*\{",
                                  code, re.MULTILINE)
        if not at_file_scope:
            code = "void snippet(void);\nvoid snippet(void) {\n" + code + "}\n"
        code = HEADERS[language] + code
    return code


def check(place, language, code, binaries, folder):
    source = folder / ("snippet" + re.sub(r"\W", "_", place) + "." + language)
    source.write_text(complete(code, language))
    is_program = re.search(r"\bmain\s*\(", code) is not None
    program = source.with_suffix("")
    command = [binaries / WRAPPER[language], STANDARD[language], "-O1", "-Wall", "-Wextra", "-Werror",
               "-Wno-unused-function", "-Wno-unused-variable", source]
    if "gasnet" in code:
        command += ["-L", binaries.parent / "lib", "-lgasnet-isthmus-seq"]
    if "isthmus/step." in code:  # beside its library, where the machine is built
        command += ["-I", pathlib.Path(__file__).resolve().parents[2] / "sim/step/include"]
    command += ["-o", program] if is_program else ["-fsyntax-only"]
    compiled = subprocess.run(command, capture_output=True, text=True, check=False)
    if compiled.returncode != 0:
        return f"{place}: does not compile\n{compiled.stderr}"
    if is_program:
        ran = subprocess.run([binaries / "isthmus", "run", "-n", "2", program], capture_output=True,
                             text=True, timeout=60, check=False, stdin=subprocess.DEVNULL)
        if ran.returncode != 0:
            return f"{place}: ended with status {ran.returncode}\n{ran.stdout}{ran.stderr}"
    return None


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    binaries = pathlib.Path(sys.argv[2]).resolve()
    jobs = []
    with tempfile.TemporaryDirectory() as name, \
            concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for page in pages.all_pages(root):
            for line, language, code in pages.read(page)[1]:
                if language in WRAPPER:
                    place = f"{page.relative_to(root)}:{line}"
                    jobs.append(pool.submit(check, place, language, code, binaries, pathlib.Path(name)))
        found = [problem for problem in (job.result() for job in jobs) if problem]
    print("\n".join(found) or f"{len(jobs)} snippets compile")
    sys.exit(bool(found) or not jobs)


if __name__ == "__main__":
    main()
