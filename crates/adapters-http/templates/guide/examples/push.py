posting = {
    "title": "Baker",
    "raw_description": "<p>You bake bread and rolls in our team, five nights a week.</p>",
    "application_url": "https://bakery.example/jobs/4711",
    "company": {"name": "The Bakery", "website_url": "https://bakery.example"},
}
answer = http.put(f"{board}/api/job-board/job-postings/acme-4711", json=posting, timeout=30)
assert answer.ok, answer.text
print(answer.headers["Posthaste-Outcome"], answer.json()["data"]["uuid"])
