"""A catalogue of single faults in the gates: in `file` the text `text`, which stands there once, becomes `instead`."""
import sys
import tomllib


def catalogue(toml, path_of):
    """The faults, numbered from 1; path_of(name) is where a file is. Ends the program if one does not fit."""
    faults = tomllib.loads(toml.read_text())["fault"]
    twice = {fault["id"] for fault in faults if sum(other["id"] == fault["id"] for other in faults) > 1}
    if twice:
        sys.exit(f"{toml}: ids that are there twice: {', '.join(sorted(twice))}")
    for number, fault in enumerate(faults, 1):
        fault["number"] = number
        count = path_of(fault["file"]).read_text().count(fault["text"])
        if count != 1:
            sys.exit(f"{toml}: {fault['id']}: its text stands {count} times in {fault['file']}")
        if fault["text"] == fault["instead"]:
            sys.exit(f"{toml}: {fault['id']} changes nothing")
    return faults


def chosen(faults, ids):
    """Those named, or all."""
    unknown = set(ids) - {fault["id"] for fault in faults}
    if unknown:
        sys.exit(f"no such fault: {', '.join(sorted(unknown))}")
    return [fault for fault in faults if not ids or fault["id"] in ids]
