# One posting alone: Accept: application/ld+json, application/json;q=0.5
jobs = http.get(f"{board}/api/job-board/export", params={"form": "jsonld"}, timeout=60)
assert jobs.ok, jobs.text
print(len(jobs.text.splitlines()), "jobs for search engines")
