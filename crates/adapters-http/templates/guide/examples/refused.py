answer = http.put(f"{board}/api/job-board/job-postings/acme-4711", timeout=30,
                  json={"location_country_code": "UK"})
if not answer.ok:
    print(answer.status_code, answer.text)
