curl -s --fail-with-body "$BOARD/api/job-board/webhooks" \
  -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \
  -d '{"url": "https://receiver.example/hooks", "types": ["JobPostingApproved"]}'
