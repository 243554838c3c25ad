curl -s --fail-with-body -X PUT "$BOARD/api/job-board/job-postings/acme-4711" \
  -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \
  -d '{"location_country_code": "UK"}' || echo "refused"
