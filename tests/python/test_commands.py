"""Runs the commands in README and docs/ as shown, with values in place of placeholders."""

import json
import os
import re
import select
import signal
import sqlite3
import subprocess
import sys
import time
import uuid
from pathlib import Path

import pytest
import requests
from conftest import free_port, serving

ROOT = Path(__file__).parents[2]
# Commands that need another machine, root or hours, or remove something that others need.
NOT_RUN = [
    "posthaste serve",
    "posthaste worker",
    "posthaste copy",
    "posthaste companies merge",
    "posthaste companies unmerge",
    "posthaste postings restore",
    "posthaste postings reverse",
    "posthaste postings uphold",
    "posthaste reports act",
    "posthaste reports dismiss",
    "posthaste reports show",
    "posthaste webhooks create --url https://hooks.example/attention",
    "pip install",
    "SECRET=",
    "/tmp/new/",
    "cargo ",
    "apt ",
    "sha256sum ",
    "podman ",
    "systemctl ",
    "systemd-run ",
    "sqlite3 ",
    "alias ",
    "export BOARD",
    "export DATABASE_URL",
    "export POSTHASTE_PUBLIC_URL",
]
# Commands that rightly report a problem here by their exit code.
TELLING = [
    "posthaste attention",
    "posthaste doctor",
    "posthaste webhooks test",
    "posthaste subscribers reconcile",
]
PAGES = ["README.md", "docs/api.md", "docs/operations.md"] + [
    f"docs/{folder}/{page.name}"
    for folder in ("api", "operations")
    for page in sorted((ROOT / "docs" / folder).glob("*.md"))
]


class Board:
    """A server with a posting for each decision, and the other subjects of the commands."""

    def __init__(self, server):
        self.server, self.count = server, 0
        self.client = server.client("board")
        self.headers = {"Authorization": f"Bearer {self.client.token()}"}
        self.api = f"{server.url}/api/job-board"
        self.names = {"CLIENT_ID": self.client.client_id}
        (server.folder / "members.csv").write_text(
            "email,name,country,plan_category,status,expires_at\n"
            "ada@example.com,Ada,Norway,individual,active,2027-01-31\n"
            "bob@example.com,Bob,Norway,individual,active,2027-01-31\n"
        )
        server.command("subscribers", "import", str(server.folder / "members.csv"))
        line = {"id": "acme-1", "payload": self.payload()}
        for name in ("jobs.ndjson", "postings.ndjson"):
            (server.folder / name).write_text(json.dumps(line) + "\n")

    @staticmethod
    def payload():
        return {
            "title": "Gardener",
            "raw_description": "<p>We are looking for a gardener who knows roses and hedges.</p>",
            "application_url": "https://apply.example/gardener",
            "company": {"name": "Acme", "website_url": "https://acme.example"},
        }

    def posting(self):
        """The identifier of a new posting that was judged."""
        self.count += 1
        address = f"{self.api}/job-postings/board-{self.count}"
        requests.put(address, json=self.payload(), headers=self.headers, timeout=60)
        end = time.monotonic() + 180
        while True:
            posting = requests.get(address, headers=self.headers, timeout=60).json()["data"]
            if posting["status"] != "PendingEnrichment":
                break
            assert time.monotonic() < end, posting
            time.sleep(0.05)
        return f"board-{self.count}"

    def dead_task(self):
        """The id of a dead task."""
        store = sqlite3.connect(self.server.folder / "data" / "posthaste.db", timeout=60)
        now = time.time_ns() // 1000
        with store:
            made = store.execute(
                "INSERT INTO outbox (kind, subject, attempts, next_at, first_failed_at,"
                " last_error, dead_at, created_at) VALUES ('enrich', ?, 9, ?, ?, 'x', ?, ?)",
                (uuid.uuid4().bytes, now, now, now, now),
            )
        store.close()
        return str(made.lastrowid)

    def new(self, *command):
        """The id that a command creates."""
        return json.loads(self.server.command(*command, "--json"))

    def filled(self, line):
        """A line with values in place of its placeholders."""
        if re.match("posthaste clients (?!create)", line):
            if "ID" not in self.names or "revoke" in line:
                self.count += 1
                created = self.new(
                    "clients", "create", "--name", f"c{self.count}", "--scope", "job-postings:read"
                )
                self.names["ID"] = created["client_id"]
        elif re.match("posthaste webhooks (?!create)", line):
            hooks = json.loads(self.server.command("webhooks", "list", "--json"))
            self.names["ID"] = hooks[0]["id"]
            line = line.replace("--url U", "--url http://127.0.0.1:9/other")
            line = line.replace("--type T", "--type JobPostingCreated")
            self.posting()
            events = requests.get(f"{self.api}/events", headers=self.headers, timeout=60).json()
            self.names["EVENT_ID"] = events["data"][0]["id"]
        elif line.startswith("posthaste webhooks create"):
            line = line.replace("--url …", "--url https://receiver.example/more")
        elif line.startswith("posthaste postings"):
            if "reopen" not in line:
                self.names["ID"] = self.posting()
            (self.server.folder / "ids").write_text(self.posting() + "\n")
            self.names["FILE"] = "ids"
        elif line.startswith("posthaste outbox retry --all-dead"):
            # Runs now: later it would also retry the dead tasks of the commands that follow.
            self.server.command("outbox", "retry", "--all-dead")
            return "true"
        elif line.startswith("posthaste outbox") and "4711" in line:
            line = line.replace("4711", self.dead_task())
        elif line.startswith("posthaste restore"):
            line = f"POSTHASTE_DATA_DIR=elsewhere {line}"
        line = line.replace("/backups/", f"{self.server.folder}/backups/")
        line = line.replace("posthaste push", "posthaste push --log warn")
        for name, value in self.names.items():
            line = re.sub(rf"(?<![\w$-]){name}\b(?!=)", value, line)
        line = line.replace("https://board.example", self.server.url)
        line = line.replace("http://127.0.0.1:8080", self.server.url)
        # A host that no test reaches.
        line = line.replace("https://receiver.example", "http://127.0.0.1:9")
        return line.replace("wait=30", "wait=0").replace("while true", "for once in 1")


@pytest.fixture(scope="module")
def board(tmp_path_factory, allow_plain_http):
    variables = {
        "POSTHASTE_CONSOLE_BIND": f"127.0.0.1:{free_port()}",
        "POSTHASTE_MAILERLITE_NEW_GROUP_ID": "none",
    }
    with serving(tmp_path_factory.mktemp("board"), variables) as server:
        yield Board(server)


def blocks(page, language):
    """The blocks of a page in a language."""
    text = (ROOT / page).read_text()
    return re.findall(rf"^ *```{language}\n(.*?)^ *```", text, re.DOTALL | re.MULTILINE)


def commands(block):
    """The commands of a block. A backslash, a quote or a loop joins lines."""
    command = ""
    for line in block.splitlines():
        command += line.strip() + "\n"
        done = subprocess.run(["bash", "-n", "-c", command], capture_output=True, check=False)
        if done.returncode == 0 and not line.endswith("\\"):
            if command.strip() and not command.startswith("#"):
                yield command
            command = ""
    assert not command, command


@pytest.mark.parametrize("page", PAGES)
def test_the_commands_of_the_page_run(board, page):
    folder = board.server.folder
    (folder / "bin").mkdir(exist_ok=True)
    (folder / "backups").mkdir(exist_ok=True)
    posthaste = folder / "bin" / "posthaste"
    if not posthaste.exists():
        posthaste.symlink_to(board.server.program)
    client = board.client
    environment = board.server.environment | {
        "PATH": f"{folder / 'bin'}:{os.environ['PATH']}",
        "TOKEN": client.token(),
        "BOARD": board.server.url,
        "CLIENT_ID": client.client_id,
        "CLIENT_SECRET": client.client_secret,
        "WEBHOOK_SECRET": board.server.environment["POSTHASTE_MAILERLITE_WEBHOOK_SECRET"],
        # Makes curl fail for answers that are errors, except in the example of a refusal.
        "CURL_HOME": str(folder),
    }
    (folder / ".curlrc").write_text("fail-with-body\n")
    wrong = []
    board.names.pop("ID", None)
    for block in blocks(page, "sh"):
        script = []
        for command in commands(block):
            if command.startswith(tuple(NOT_RUN)) or "connect.mailerlite.com" in command:
                continue
            filled = board.filled(command).strip()
            if command.startswith(tuple(TELLING)):
                filled = f"{{ {filled}\n}} || test $? -le 2"
            elif '"titel"' in command:
                filled = f"{{ {filled}\n}} || test $? = 22"
            script.append(filled)
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", "\n".join(script)],
            env=environment,
            cwd=folder,
            capture_output=True,
            check=False,
            text=True,
            timeout=300,
        )
        if done.returncode:
            wrong.append("\n".join([*script, done.stdout, done.stderr]))
    assert not wrong, "\n\n".join(wrong)


EXAMPLES = ROOT / "docs" / "examples"
RECEIVERS = {"receiver.py": sys.executable, "receiver.js": "node"}


@pytest.mark.parametrize("receiver", RECEIVERS)
def test_the_receiver_takes_what_is_signed(board, receiver):
    port = free_port()
    url = f"http://127.0.0.1:{port}/hooks"
    hook = board.new("webhooks", "create", "--url", url)
    packages = Path(os.environ["POSTHASTE_AXE"]).parents[1]
    environment = {"SECRET": hook["secret"], "PORT": str(port), "NODE_PATH": str(packages)}
    command = [RECEIVERS[receiver], str(EXAMPLES / receiver)]
    # A Python package's `node` starts another program.
    with subprocess.Popen(
        command,
        env=os.environ | environment,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            end = time.monotonic() + 180
            while True:
                try:
                    assert requests.post(url, data="{}", timeout=60).status_code == 400
                    break
                except requests.ConnectionError:
                    assert time.monotonic() < end and process.poll() is None
                    time.sleep(0.05)
            board.server.command("webhooks", "test", hook["id"])
            # Events of postings may come before this event.
            assert any(line.startswith("ping") for line in process.stdout)
        finally:
            os.killpg(process.pid, signal.SIGTERM)
            board.server.command("webhooks", "delete", hook["id"])


def test_the_copy_follows_the_board(board):
    environment = {"BOARD": board.server.url, "TOKEN": board.client.token()}
    command = [sys.executable, str(EXAMPLES / "board_copy.py")]
    with subprocess.Popen(
        command, env=os.environ | environment, stdout=subprocess.PIPE, text=True
    ) as copy:
        try:
            while copy.poll() is None:
                # Postings that are pushed before the copy follows are in its export.
                board.posting()
                if select.select([copy.stdout], [], [], 1)[0]:
                    break
            assert copy.stdout.readline().startswith("JobPosting")
        finally:
            copy.terminate()
