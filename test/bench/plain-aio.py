"""
The same jobs in Python over aiohttp: one session, eight connections, answers in order, no checks, no retries.
`python3 plain-aio.py BASE_URL resolve FILE` (ndjson), `resolve-csv FILE`, `person FILE`, `feed`.
"""
import asyncio
import csv
import json
import sys
from collections import deque
from itertools import islice

import aiohttp

base, task, *files = sys.argv[1:]
connections = 8


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


async def in_order(work, items, write):
    """Answers in order, eight under way."""
    pending = deque()
    for item in items:
        pending.append(asyncio.ensure_future(work(item)))
        if len(pending) >= connections:
            write(await pending.popleft())
    while pending:
        write(await pending.popleft())


async def main():
    connector = aiohttp.TCPConnector(limit=connections)
    async with aiohttp.ClientSession(connector=connector, headers={"x-api-key": "bench"}) as session:

        async def get(path):
            async with session.get(base + path) as answer:
                return await answer.json()

        async def groups(batch):
            body = {"to_resolve": [{"profnet_id": name} for name in batch]}
            async with session.post(f"{base}/people/resolve", json=body) as answer:
                return await answer.json()

        async def rows(batch):
            return list(cells(batch, await groups(batch)))

        def write(records):
            sys.stdout.write("".join(map(line, records)))

        if task == "resolve":
            await in_order(groups, batches(files[0], 50), write)
        if task == "resolve-csv":
            await in_order(rows, batches(files[0], 50), csv.writer(sys.stdout).writerows)
        if task == "person":
            await in_order(lambda batch: get(f"/people/{batch[0]}"), batches(files[0], 1), lambda person: write([person]))
        page = 0
        while task == "feed":
            signals = await get(f"/investor-interest?page={page}&limit=50")
            write(signals)
            if len(signals) < 50:
                break
            page += 1


asyncio.run(main())
