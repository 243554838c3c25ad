"""Receives Posthaste's webhooks, and posts items that need attention to a chat."""
import json, os, sys
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.request import Request, urlopen
from standardwebhooks import Webhook

class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        event = Webhook(os.environ["SECRET"]).verify(body, dict(self.headers))  # after an error Posthaste retries
        text = " ".join([event["type"], event["data"].get("sentence", ""), event["data"].get("link", "")])
        urlopen(Request(os.environ["CHAT_URL"], json.dumps({"text": text}).encode(), {"Content-Type": "application/json"}))
        self.send_response(204), self.end_headers()

HTTPServer(("127.0.0.1", int(sys.argv[1])), Receiver).serve_forever()
