"""The Markdown pages of the repository, cut into prose and fenced blocks."""
import pathlib
import re
import subprocess


def all_pages(root):
    """Tracked pages, and new ones that are not ignored."""
    names = subprocess.run(
        ["git", "-C", str(root), "ls-files", "--cached", "--others", "--exclude-standard", "*.md"],
        capture_output=True, text=True, check=False)
    if names.returncode == 0:
        found = [root / name for name in names.stdout.splitlines()]
    else:  # an unpacked archive
        found = [page for page in root.rglob("*.md") if "build" not in page.relative_to(root).parts]
    return sorted(page for page in found if page.exists())


def split(text):
    """Prose (fenced blocks blanked, line numbers kept) and [(line, language, code)]."""
    prose, blocks = [], []
    fence, language, start, code = None, "", 0, []
    for number, line in enumerate(text.splitlines(), 1):
        mark = re.match(r"\s*(```+|~~~+)\s*(\S*)", line)
        if fence is None and mark:
            fence, language, start, code = mark[1], mark[2], number, []
            prose.append("")
        elif fence is not None and mark and mark[1].startswith(fence) and not mark[2]:
            blocks.append((start, language, "\n".join(code) + "\n"))
            fence = None
            prose.append("")
        elif fence is not None:
            code.append(line)
            prose.append("")
        else:
            prose.append(line)
    return "\n".join(prose), blocks


def read(page):
    return split(pathlib.Path(page).read_text(encoding="utf-8"))
