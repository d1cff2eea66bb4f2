"""What the Python programs share: identifiers in batches, and rows as `plain.mjs` prints them."""
import json
from itertools import islice


def batches(path, size):
    with open(path, encoding="utf8") as lines:
        while batch := [line.rstrip("\n") for line in islice(lines, size)]:
            yield batch


def line(record):
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n"


def cells(batch, groups):
    for name, group in zip(batch, groups):
        matches = group["matches"]
        match = matches[0] if matches else {}
        found = [match.get(key) for key in ("person_id", "full_name", "profnet_url")]
        yield [name, *found, "ok" if matches else "not_found", ""]
