"""Receives webhooks of the board on port PORT, signed with SECRET (pip install standardwebhooks)."""

import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from standardwebhooks import Webhook, WebhookVerificationError

webhook, seen = Webhook(os.environ["SECRET"]), set()

class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        try:
            event = webhook.verify(body, dict(self.headers))
        except WebhookVerificationError:
            return self.answer(400)
        if self.headers["webhook-id"] not in seen:
            print(event["type"], event["data"].get("unique_source_identifier"), flush=True)
            seen.add(self.headers["webhook-id"])  # Store it in a database, together with the work.
        self.answer(204)

    def answer(self, status):
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass

ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Receiver).serve_forever()
