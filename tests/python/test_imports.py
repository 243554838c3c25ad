"""Imports by clients that send a body while they create it."""

import gzip
import json
import subprocess
import uuid

import httpx
import pytest
import requests

LINES = 400


def posting(number):
    return {
        "title": f"Gardener {number}",
        "raw_description": "<p>We are looking for a gardener who knows roses and hedges.</p>",
        "application_url": "https://apply.example/gardener",
        "company": {"name": "Rosenhof", "website_url": "https://rosenhof.example"},
    }


def lines(prefix):
    """The lines of an import, one after the other. The last line is refused."""
    for number in range(LINES):
        line = {"id": f"{prefix}-{number}", "payload": posting(number)}
        yield json.dumps(line).encode() + b"\n"
    yield b'{"id":"refused","payload":{"title":7}}\n'


def by_requests(url, headers, body):
    answer = requests.post(url, data=body, headers=headers, timeout=60)
    return answer.status_code, answer.text


def by_httpx(url, headers, body):
    answer = httpx.post(url, content=body, headers=headers, timeout=60)
    return answer.status_code, answer.text


def headers_of(service):
    return {
        "Authorization": f"Bearer {service.token()}",
        "Content-Type": "application/x-ndjson",
    }


def check(status, text):
    """Checks the answer to the lines above."""
    assert status == 200, text
    receipt, last = map(json.loads, text.splitlines())
    assert (receipt["line"], receipt["status"]) == (LINES + 1, 422)
    summary = last["summary"]
    assert summary["complete"] is True
    assert (summary["lines"], summary["created"], summary["refused"]) == (LINES + 1, LINES, 1)


@pytest.mark.parametrize("send", [by_requests, by_httpx])
def test_a_generator_is_an_import(service, send):
    url = f"{service.url}/api/job-board/imports"
    check(*send(url, headers_of(service), lines(uuid.uuid4())))


def test_a_packed_body_is_an_import(service):
    url = f"{service.url}/api/job-board/imports"
    headers = headers_of(service) | {"Content-Encoding": "gzip"}
    body = gzip.compress(b"".join(lines(uuid.uuid4())))
    check(*by_requests(url, headers, body))


def test_curl_sends_a_file_as_a_catalogue(service, tmp_path):
    file = tmp_path / "jobs.ndjson"
    prefix = uuid.uuid4()
    file.write_bytes(b"".join(lines(prefix)))
    url = f"{service.url}/api/job-board/catalogues/{prefix}"
    token = f"Authorization: Bearer {service.token()}"
    command = ["curl", "--silent", "--show-error", "--noproxy", "*", "-H", token, "-T"]

    def send(body, target):
        sent = subprocess.run(
            [*command, str(body), target, "--write-out", "\n%{http_code}"],
            capture_output=True,
            check=True,
            text=True,
        )
        text, status = sent.stdout.rsplit("\n", 1)
        return int(status), text

    status, text = send(file, url)
    check(status, text)
    few = tmp_path / "few.ndjson"
    few.write_bytes(b"".join(line for line, _ in zip(lines(prefix), range(10))))
    status, text = send(few, url)
    missing = json.loads(text)["summary"]["missing"]
    assert len(missing.pop("first")) == 100
    held = {"count": LINES - 10, "expired": 0, "held": True, "because": "share"}
    assert (status, missing) == (200, held)
    status, text = send(few, f"{url}?max_missing=100")
    missing = json.loads(text)["summary"]["missing"]
    assert missing == {"count": LINES - 10, "expired": LINES - 10, "held": False}
