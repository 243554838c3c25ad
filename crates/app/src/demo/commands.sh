# Get a token, which the next commands need.
TOKEN=$(curl -sS @URL@/oauth/token \
  -d grant_type=client_credentials \
  -d client_id=@CLIENT_ID@ \
  -d client_secret=@CLIENT_SECRET@ \
  | sed 's/.*"access_token":"\([^"]*\)".*/\1/')

# Create a posting.
curl -sS -X PUT @POSTINGS@/my-first \
  -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" \
  -d '{"title": "Lighthouse keeper",
       "raw_description": "<p>Keep the <b>light</b> on. Ring 01632 960123.</p>",
       "location_country_code": "FR", "location_city": "Brest",
       "application_email": "light@tower.example",
       "company": {"name": "Tower", "website_url": "https://tower.example"}}'
echo

# See a sample's description without words that identify the company.
printf '%b\n' "$(curl -sS -H "Authorization: Bearer $TOKEN" \
  @POSTINGS@/@REDACTED@ \
  | sed -E 's/.*"markdown_redacted_description":"(([^"\\]|\\.)*)".*/\1/')"

# List the rejected postings, and why.
curl -sS -H "Authorization: Bearer $TOKEN" \
  "@POSTINGS@?status=rejected" \
  | grep -oE '"unique_source_identifier":"[^"]*"|"status_reason":"[^"]*"'

# Take the posting down.
curl -sS -X PUT @POSTINGS@/my-first \
  -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" \
  -d '{"expiration": {"reason": "The position has been filled."}}'
echo
