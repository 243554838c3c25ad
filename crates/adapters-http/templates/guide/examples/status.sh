curl -s --fail-with-body "$BOARD/api/job-board/job-postings/acme-4711" -H "Authorization: Bearer $TOKEN"
