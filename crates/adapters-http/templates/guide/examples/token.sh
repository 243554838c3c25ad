TOKEN=$(curl -s --fail-with-body "$BOARD/oauth/token" -d grant_type=client_credentials \
  -d "client_id=$CLIENT_ID" -d "client_secret=$CLIENT_SECRET" |
  sed 's/.*"access_token":"\([^"]*\)".*/\1/')
