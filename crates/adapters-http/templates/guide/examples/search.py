# One posting alone: Accept: application/ld+json, application/json;q=0.5
jobs = http.get(f"{board}/api/job-board/export", params={"form": "jsonld"}, timeout=60)
jobs.raise_for_status()
print(len(jobs.text.splitlines()), "jobs for search engines")
