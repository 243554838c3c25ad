"""A served instance of the program under test, and a client of it."""

import json
import os
import socket
import subprocess
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
import requests

SCOPES = [
    "job-postings:write",
    "job-postings:read",
    "newsletter-subscribers:write",
    "webhooks:manage",
    "reports:write",
]


@dataclass(frozen=True)
class Service:
    """The URL of the service, and the credentials of a client with all scopes."""

    url: str
    client_id: str
    client_secret: str

    @property
    def token_url(self):
        return f"{self.url}/oauth/token"

    def token(self):
        answer = requests.post(
            self.token_url,
            data={
                "grant_type": "client_credentials",
                "client_id": self.client_id,
                "client_secret": self.client_secret,
            },
            timeout=60,
        )
        answer.raise_for_status()
        return answer.json()["access_token"]


@pytest.fixture(scope="session", autouse=True)
def allow_plain_http():
    """Lets the clients use plain HTTP. They require TLS, which is not tested here."""
    os.environ["OAUTHLIB_INSECURE_TRANSPORT"] = "1"
    os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"
    # Proxies are not tested here, either.
    os.environ["NO_PROXY"] = "127.0.0.1"


@dataclass(frozen=True)
class Server:
    """A running server: its URL, and the settings for its commands."""

    url: str
    program: str
    environment: dict
    folder: Path

    def command(self, *arguments):
        """Runs a command on the server's store, and returns its output."""
        done = subprocess.run(
            [self.program, *arguments],
            env=self.environment,
            cwd=self.folder,
            capture_output=True,
            check=True,
            text=True,
        )
        return done.stdout

    def client(self, name, *options):
        scopes = [part for scope in SCOPES for part in ("--scope", scope)]
        created = self.command("clients", "create", "--name", name, "--json", *scopes, *options)
        client = json.loads(created)
        return Service(self.url, client["client_id"], client["client_secret"])


@pytest.fixture(scope="session")
def service(tmp_path_factory, allow_plain_http):
    variables = {"POSTHASTE_CONSOLE_BIND": "off"}
    with serving(tmp_path_factory.mktemp("posthaste"), variables) as server:
        yield server.client("checks")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextmanager
def serving(folder, variables):
    """Runs the program named by POSTHASTE_BIN on a free port, with a new data folder."""
    program = os.environ.get("POSTHASTE_BIN")
    if not program:
        pytest.exit("POSTHASTE_BIN must name the program, such as target/debug/posthaste", 2)
    program = str(Path(program).resolve())
    port, admin_port = free_port(), free_port()
    url = f"http://127.0.0.1:{port}"
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("POSTHASTE_") and name not in ("DATABASE_URL", "RUST_LOG")
    }
    environment |= {
        "POSTHASTE_DATA_DIR": str(folder / "data"),
        "POSTHASTE_BIND": f"127.0.0.1:{port}",
        "POSTHASTE_ADMIN_BIND": f"127.0.0.1:{admin_port}",
        "POSTHASTE_MAILERLITE_WEBHOOK_SECRET": "a secret that no client knows",
        # The receivers are on this machine.
        "POSTHASTE_WEBHOOK_PRIVATE": "allow",
        "POSTHASTE_WEBHOOK_RETRY_SECONDS": "1,1,1,1",
    }
    environment |= variables
    log = folder / "server.log"
    with log.open("w") as output:
        server = subprocess.Popen(
            [program, "serve"], env=environment, cwd=folder, stdout=output, stderr=output
        )
    try:
        wait_until_ready(server, url, log)
        yield Server(url, program, environment, folder)
        assert server.poll() is None, f"the server ended by itself:\n{log.read_text()}"
    finally:
        server.terminate()
        try:
            server.wait(timeout=60)
        except subprocess.TimeoutExpired:
            server.kill()
    assert server.returncode == 0, log.read_text()
    assert "panicked" not in log.read_text()


def wait_until_ready(server, url, log):
    """Waits until the server answers, or fails with its log."""
    end = time.monotonic() + 180
    while time.monotonic() < end:
        if server.poll() is not None:
            break
        try:
            if requests.get(f"{url}/readyz", timeout=60).status_code == 200:
                return
        except requests.ConnectionError:
            time.sleep(0.05)
    pytest.exit(f"the server does not start:\n{log.read_text()}", 1)


@pytest.fixture
def posting():
    return {
        "title": "Gardener",
        "raw_description": "<p>We are looking for a gardener who knows roses and hedges.</p>",
        "application_url": "https://apply.example/gardener",
        "company": {"name": "Rosenhof", "website_url": "https://rosenhof.example"},
    }
