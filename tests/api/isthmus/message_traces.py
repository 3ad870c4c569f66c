"""Messages in a trace: each that is sent and each that is handled is there once, with an arrow that
leads from within the sending to within the handler. message_traces.py ISTHMUS PROGRAM PES ROAD FACE"""
import collections
import json
import os
import subprocess
import sys
import tempfile

tool, program, pes, road, face = sys.argv[1:6]
environment = dict(os.environ)
if road != "window":
    environment["ISTHMUS_TRANSPORT"] = road

with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "trace.json")
    done = subprocess.run([tool, "run", "-n", pes, "--timeout", "100", "--trace", path, program],
                          env=environment, capture_output=True, text=True, timeout=120)
    print(done.stdout, done.stderr, sep="\n")
    assert done.returncode == 0, done.returncode
    with open(path) as file:
        events = json.load(file)["traceEvents"]

counts = collections.Counter(event["name"] for event in events if event["ph"] == "X")
slices = collections.defaultdict(list)
for event in events:
    if event["ph"] == "X" and event["cat"] == "Messages":
        slices[event["pid"], event["tid"]].append(event)
for kind in ("request", "reply"):
    sent = sum(count for name, count in counts.items() if name.startswith(kind + " to"))
    assert sent > 0, kind
handled = sum(count for name, count in counts.items() if name.startswith("handler " + face))
sent = sum(count for name, count in counts.items() if " to " + face in name)
assert handled == sent, (handled, sent)
pairs = collections.defaultdict(dict)
for event in events:
    if event["ph"] in "sf":
        pairs[event["id"]][event["ph"]] = event


def within(event, beginning):
    """Whether a slice of that sort is where an arrow's end is."""
    moment = event["ts"]
    return any(one["name"].startswith(beginning) and
               one["ts"] - 0.002 <= moment <= one["ts"] + one["dur"] + 0.002
               for one in slices[event["pid"], event["tid"]])


assert len(pairs) == handled, (len(pairs), handled)
for pair in list(pairs.values())[::len(pairs) // 200 + 1]:
    begin, end = pair["s"], pair["f"]
    assert begin["ts"] <= end["ts"], pair
    assert within(begin, "request to " + face) or within(begin, "reply to " + face), pair
    assert within(end, "handler " + face), pair
print(f"{handled} messages, each with its arrow")
