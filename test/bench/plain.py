"""
The same jobs in Python, as an analyst writes them over requests: one session, eight threads, no checks, no retries.
`python3 plain.py BASE_URL resolve FILE` (csv), `person FILE` (ndjson), `feed` (ndjson), `health`.
"""
import csv
import json
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import islice

import requests
from requests.adapters import HTTPAdapter

base, task, *files = sys.argv[1:]
connections = 8
session = requests.Session()
session.headers["x-api-key"] = "bench"
session.mount("http://", HTTPAdapter(pool_maxsize=connections))


def get(path, **params):
    return session.get(base + path, params=params).json()


def batches(size):
    with open(files[0], encoding="utf8") as lines:
        while batch := [line.rstrip("\n") for line in islice(lines, size)]:
            yield batch


def resolved(batch):
    groups = session.post(f"{base}/people/resolve", json={"to_resolve": [{"profnet_id": name} for name in batch]}).json()
    for name, group in zip(batch, groups):
        match = group["matches"][0] if group["matches"] else {}
        yield [name, *(match.get(key) for key in ("person_id", "full_name", "profnet_url")), "ok" if match else "not_found"]


def write(records):
    sys.stdout.writelines(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


with ThreadPoolExecutor(connections) as threads:
    if task == "health":
        write([get("/health")])
    if task == "resolve":
        for rows in threads.map(lambda batch: list(resolved(batch)), batches(50)):
            csv.writer(sys.stdout).writerows(rows)
    if task == "person":
        write(threads.map(lambda batch: get(f"/people/{batch[0]}"), batches(1)))
page = 0
while task == "feed":
    signals = get("/investor-interest", page=page, limit=50)
    write(signals)
    if len(signals) < 50:
        break
    page += 1
