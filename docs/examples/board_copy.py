"""Keeps a copy of the board that BOARD and TOKEN name, and prints each event.

The copy is in memory here. Your program should store it in a database, with the cursor in the same
transaction.
"""

import json, os, requests
from urllib.parse import quote

API, http = os.environ["BOARD"] + "/api/job-board", requests.Session()
http.headers["Authorization"] = "Bearer " + os.environ["TOKEN"]

def get(path, **parameters):
    answer = http.get(API + path, params=parameters, stream=path == "/export", timeout=60)
    answer.raise_for_status()
    return answer

export = get("/export", texts="redacted")
cursor = export.headers["Posthaste-Events-Cursor"]
board = {posting["uuid"]: posting for posting in map(json.loads, export.iter_lines())}
while True:
    page = get("/events", after=cursor, limit=1000, wait=30).json()
    for event in {event["data"]["uuid"]: event for event in page["data"]}.values():
        data = event["data"]
        if event["type"] == "CompanyUpdated":
            for posting in board.values():
                if posting["company"]["uuid"] == data["uuid"]:
                    posting["company"] = data
        elif "unique_source_identifier" in data:
            path = "/job-postings/" + quote(data["unique_source_identifier"], safe="")
            board[data["uuid"]] = get(path).json()["data"]
        print(event["type"], len(board), data["uuid"], flush=True)
    cursor = page["next_cursor"]
