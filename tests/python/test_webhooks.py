"""Deliveries of events, verified by the official library of Standard Webhooks."""

import json
import threading
import time
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
import requests
from standardwebhooks import Webhook, WebhookVerificationError

# Much longer than a delivery takes, even while postings of other tests are being enriched.
PATIENCE = 180


class Receiver:
    """Keeps its deliveries. Answers the first attempts at each event with 500."""

    def __init__(self, failures=0):
        self.got = []
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                headers = dict(self.headers)
                event = self.headers["webhook-id"]
                before = sum(one["webhook-id"] == event for one, _ in receiver.got)
                receiver.got.append((headers, body))
                self.send_response(500 if before < failures else 204)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/hooks"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def until(self, enough):
        """The deliveries, once there are enough."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            got = list(self.got)
            if enough(got):
                return got
            time.sleep(0.05)
        pytest.fail(f"not within {PATIENCE} seconds: {self.got}")


@pytest.fixture
def api(service):
    """A session with a token, and the address of the API."""
    with requests.Session() as session:
        session.headers["Authorization"] = f"Bearer {service.token()}"
        yield session, f"{service.url}/api/job-board"


def register(api, receiver, **fields):
    session, url = api
    answer = session.post(f"{url}/webhooks", json={"url": receiver.url} | fields, timeout=60)
    assert answer.status_code == 201, answer.text
    return answer.json()["data"]


def push(api, posting):
    session, url = api
    identifier = f"hooks-{uuid.uuid4()}"
    answer = session.put(f"{url}/job-postings/{identifier}", json=posting, timeout=60)
    assert answer.status_code == 201, answer.text
    return identifier


def of(got, identifier):
    is_own = lambda body: json.loads(body)["data"].get("unique_source_identifier") == identifier
    return [(headers, body) for headers, body in got if is_own(body)]


def test_every_delivery_is_verified_and_a_forged_one_is_not(api, posting):
    receiver = Receiver(failures=1)
    types = ["JobPostingCreated", "JobPostingApproved"]
    webhook = register(api, receiver, types=types, include_posting=True)
    identifier = push(api, posting)
    # Each of the two events fails once and is retried.
    got = of(receiver.until(lambda got: len(of(got, identifier)) >= 4), identifier)
    library = Webhook(webhook["secret"])
    events = [library.verify(body, headers) for headers, body in got]
    assert [event["type"] for event in events] == [kind for kind in types for _ in range(2)]
    assert events[-1]["data"]["posting"]["title"] == posting["title"]
    ids = [headers["webhook-id"] for headers, _ in got]
    assert ids[0] == ids[1] != ids[2] == ids[3]

    headers, body = got[0]
    with pytest.raises(WebhookVerificationError):
        library.verify(body.replace(b"Created", b"Crested"), headers)
    with pytest.raises(WebhookVerificationError):
        library.verify(body, headers | {"webhook-id": "another"})
    old = str(int(headers["webhook-timestamp"]) - 3600)
    with pytest.raises(WebhookVerificationError):
        library.verify(body, headers | {"webhook-timestamp": old})
    with pytest.raises(WebhookVerificationError):
        Webhook("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").verify(body, headers)


def test_both_secrets_verify_after_a_rotation_and_then_the_two_newest(api, posting):
    receiver = Receiver()
    webhook = register(api, receiver, types=["JobPostingCreated"])
    session, url = api
    secrets = [webhook["secret"]]
    for _ in range(2):
        answer = session.post(f"{url}/webhooks/{webhook['id']}/rotate-secret", timeout=60)
        assert answer.status_code == 200, answer.text
        secrets.append(answer.json()["data"]["secret"])
        identifier = push(api, posting)
        ((headers, body),) = of(
            receiver.until(lambda got: of(got, identifier)), identifier
        )
        for secret in secrets[-2:]:
            assert Webhook(secret).verify(body, headers)["type"] == "JobPostingCreated"
        for secret in secrets[:-2]:
            with pytest.raises(WebhookVerificationError):
                Webhook(secret).verify(body, headers)
