"""
The same jobs in Python, as an analyst writes them over requests: one session, eight threads, no checks, no retries.
`python3 plain.py BASE_URL resolve FILE` (ndjson), `resolve-csv FILE`, `person FILE`, `feed`, `health`.
"""
import csv
import sys
from concurrent.futures import ThreadPoolExecutor

import requests
from requests.adapters import HTTPAdapter
from rows import batches, cells, line

base, task, *files = sys.argv[1:]
connections = 8
session = requests.Session()
session.headers["x-api-key"] = "bench"
session.mount("http://", HTTPAdapter(pool_maxsize=connections))


def get(path, **params):
    return session.get(base + path, params=params).json()


def groups(batch):
    return session.post(f"{base}/people/resolve", json={"to_resolve": [{"profnet_id": name} for name in batch]}).json()


with ThreadPoolExecutor(connections) as threads:
    if task == "health":
        sys.stdout.write(line(get("/health")))
    if task == "resolve":
        for found in threads.map(groups, batches(files[0], 50)):
            sys.stdout.write("".join(map(line, found)))
    if task == "resolve-csv":
        writer = csv.writer(sys.stdout)
        for rows in threads.map(lambda batch: cells(batch, groups(batch)), batches(files[0], 50)):
            writer.writerows(rows)
    if task == "person":
        for person in threads.map(lambda batch: get(f"/people/{batch[0]}"), batches(files[0], 1)):
            sys.stdout.write(line(person))
page = 0
while task == "feed":
    signals = get("/investor-interest", page=page, limit=50)
    sys.stdout.write("".join(map(line, signals)))
    if len(signals) < 50:
        break
    page += 1
