curl -s --fail-with-body -X PUT "$BOARD/api/job-board/job-postings/acme-4711" \
  -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' -d '{
    "title": "Baker",
    "raw_description": "<p>You bake bread and rolls in our team, five nights a week.</p>",
    "application_url": "https://bakery.example/jobs/4711",
    "company": {"name": "The Bakery", "website_url": "https://bakery.example"}
  }'
