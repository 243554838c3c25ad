# One posting alone: Accept: application/ld+json, application/json;q=0.5
curl -s --fail-with-body "$BOARD/api/job-board/export?form=jsonld" -H "Authorization: Bearer $TOKEN" \
  > jobs.ld.ndjson
wc -l jobs.ld.ndjson
