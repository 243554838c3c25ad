import json

def lines():
    yield json.dumps({"id": "acme-4711", "payload": posting}).encode() + b"\n"

answer = http.put(f"{board}/api/job-board/catalogues/acme", data=lines(),
                  headers={"Content-Type": "application/x-ndjson"})
assert answer.ok, answer.text
print(answer.text)
