"""The receiver in the documentation posts items that need attention to a chat."""

import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from datetime import datetime, timezone
from pathlib import Path

from standardwebhooks import Webhook

from test_webhooks import Receiver

SCRIPT = Path(__file__).parents[2] / "docs/examples/attention_to_chat.py"
SECRET = "whsec_" + "c2VjcmV0" * 4
ITEM = {"kind": "source_silent", "sentence": "Acme has pushed nothing.", "link": "https://c.example/x"}


def deliver(port, secret):
    body = json.dumps({"type": "AttentionRaised", "timestamp": "2026-03-01T12:00:00Z", "data": ITEM})
    now = datetime.now(tz=timezone.utc)
    headers = {"webhook-id": "1", "webhook-timestamp": str(int(now.timestamp()))}
    headers["webhook-signature"] = Webhook(secret).sign("1", now, body)
    request = urllib.request.Request(f"http://127.0.0.1:{port}/", body.encode(), headers)
    return urllib.request.urlopen(request, timeout=10).status


def test_the_receiver_posts_verified_items_to_the_chat():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    chat = Receiver()
    environment = os.environ | {"SECRET": SECRET, "CHAT_URL": chat.url}
    with subprocess.Popen([sys.executable, SCRIPT, str(port)], env=environment) as receiver:
        try:
            for _ in range(100):
                try:
                    assert deliver(port, SECRET) == 204
                    break
                except urllib.error.URLError:
                    time.sleep(0.1)
            try:
                deliver(port, "whsec_" + "b3RoZXIh" * 4)
                raise AssertionError("it took a wrong signature")
            except (urllib.error.URLError, ConnectionError):
                pass
        finally:
            receiver.kill()
    texts = [json.loads(body)["text"] for _, body in chat.got]
    assert texts == [f"AttentionRaised {ITEM['sentence']} {ITEM['link']}"]
