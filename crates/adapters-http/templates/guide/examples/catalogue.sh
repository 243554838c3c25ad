cat > jobs.ndjson <<'LINES'
{"id":"acme-4711","payload":{"title":"Baker (nights)"}}
LINES
curl -s --fail-with-body -T jobs.ndjson "$BOARD/api/job-board/catalogues/acme" \
  -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/x-ndjson'
