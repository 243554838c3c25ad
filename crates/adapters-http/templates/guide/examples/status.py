shown = http.get(f"{board}/api/job-board/job-postings/acme-4711", timeout=30).json()["data"]
print(shown["status"], shown["status_reason"])
