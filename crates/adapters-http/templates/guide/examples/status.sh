curl -sf "$BOARD/api/job-board/job-postings/acme-4711" -H "Authorization: Bearer $TOKEN"
