"""check_links.py ROOT: every relative link of every page leads to a file and, with #, a heading; and as
many examples as the front page says are there and in their table."""
import pathlib
import re
import sys

import pages


def anchors(page):
    """What a heading is called in a link: lower case, spaces to dashes, punctuation dropped."""
    prose, _ = pages.read(page)
    found = set()
    for heading in re.findall(r"^#+\s+(.*?)\s*#*$", prose, re.MULTILINE):
        plain = re.sub(r"[`*]|\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        found.add(re.sub(r"[^\w\- ]", "", plain).replace(" ", "-"))
    return found


def problems(root):
    for page in pages.all_pages(root):
        prose, _ = pages.read(page)
        prose = re.sub(r"`[^`\n]*`", "", prose)
        for number, line in enumerate(prose.splitlines(), 1):
            for target in re.findall(r"\]\(([^)\s]+)\)", line):
                if re.match(r"[a-z]+:", target):
                    continue
                name, _, anchor = target.partition("#")
                goal = (page.parent / name).resolve() if name else page
                where = f"{page.relative_to(root)}:{number}: {target}"
                if not goal.exists():
                    yield f"{where}: there is no such file"
                elif anchor and goal.suffix == ".md" and anchor not in anchors(goal):
                    yield f"{where}: {goal.name} has no such heading"


NUMBERS = ["none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
           "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"]


def examples(root):
    said = re.search(r"in (\w+) small programs, (\w+) for\s+the native interface and (\w+) for kernels",
                     (root / "README.md").read_text(encoding="utf-8"))
    if not said:
        yield "README.md: it does not say how many examples there are"
        return
    table = (root / "examples/README.md").read_text(encoding="utf-8")
    for word, folder in zip(said.groups(), ("", "native/", "kernels/")):
        files = {folder + path.name for path in (root / "examples" / folder).glob("*.c*") if path.is_file()
                 and path.suffix in (".c", ".cpp")}
        rows = set(re.findall(rf"^\| \[[\w.]+\]\(({folder}[\w]+\.\w+)\)", table, re.MULTILINE))
        if NUMBERS.index(word) != len(files) or rows != files:
            yield f"examples/{folder}: README.md says {word}; there are {len(files)}, {len(rows)} in the table"


if __name__ == "__main__":
    root = pathlib.Path(sys.argv[1]).resolve()
    found = [*problems(root), *examples(root)]
    print("\n".join(found) or "all links lead somewhere")
    sys.exit(bool(found))
