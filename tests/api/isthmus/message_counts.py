"""Messages are counted by handler (docs/tracing.md): who has been given how many, of all PEs of a host.

    message_counts.py ISTHMUS PROGRAM    the program sends from PE 0 to PE 1 (message_stall.c)
"""

import re
import subprocess
import sys


def main():
    done = subprocess.run([sys.argv[1], "run", "-n", "2", "--timeout", "60", "--stats", sys.argv[2]],
                          capture_output=True, text=True)
    print(done.stdout, done.stderr)
    if done.returncode != 0:
        sys.exit(f"exit status {done.returncode}")
    if not re.search(r"messages of 2 PEs of this host", done.stderr):
        sys.exit("no table of messages")
    if not re.search(r"^isthmus: +32768 +0 +0 B +isthmus 0$", done.stderr, re.MULTILINE):
        sys.exit("handler 0 has not been given 32768 requests without a byte")
    if len(re.findall(r"^isthmus: .*isthmus \d+$", done.stderr, re.MULTILINE)) != 1:
        sys.exit("other handlers are in it, too")
    plain = subprocess.run([sys.argv[1], "run", "-n", "2", "--timeout", "60", sys.argv[2]],
                           capture_output=True, text=True)
    if "by the handler" in plain.stderr:
        sys.exit("a table without --stats")


if __name__ == "__main__":
    main()
