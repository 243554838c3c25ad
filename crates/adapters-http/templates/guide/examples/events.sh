# Keep next_cursor of the answer, and go on with &after=… and &wait=30.
curl -s --fail-with-body "$BOARD/api/job-board/events?limit=3" -H "Authorization: Bearer $TOKEN"
