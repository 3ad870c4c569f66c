"""check_links.py ROOT: every relative link of every page leads to a file and, with #, a heading."""
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


if __name__ == "__main__":
    found = list(problems(pathlib.Path(sys.argv[1]).resolve()))
    print("\n".join(found) or "all links lead somewhere")
    sys.exit(bool(found))
