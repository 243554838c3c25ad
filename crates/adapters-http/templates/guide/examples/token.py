import os, requests

board = os.environ["BOARD"]
answer = requests.post(f"{board}/oauth/token", timeout=30, data={
    "grant_type": "client_credentials",
    "client_id": os.environ["CLIENT_ID"],
    "client_secret": os.environ["CLIENT_SECRET"],
})
assert answer.ok, answer.text
http = requests.Session()
http.headers["Authorization"] = "Bearer " + answer.json()["access_token"]
