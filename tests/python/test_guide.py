"""Runs the examples of the guide as shown."""

import html
import os
import re
import subprocess
import sys

import pytest
import requests

# Checks of a delivery that is signed with this secret and the present time.
CHECKS = {
    "Python": """
import base64, hashlib, hmac, time
secret, body = "whsec_" + base64.b64encode(b"k" * 32).decode(), b'{"type":"ping"}'
at = str(int(time.time()))
signed = hmac.digest(b"k" * 32, f"e1.{at}.".encode() + body, hashlib.sha256)
headers = {"webhook-id": "e1", "webhook-timestamp": at,
           "webhook-signature": "v1,AAAA v1," + base64.b64encode(signed).decode()}
assert verify(secret, headers, body)
assert not verify(secret, headers, body + b" ")
assert not verify(secret, headers | {"webhook-timestamp": "1"}, body)
""",
    "Node": """
const secret = "whsec_" + Buffer.alloc(32, "k").toString("base64");
const at = String(Math.floor(Date.now() / 1000));
const signed = createHmac("sha256", Buffer.alloc(32, "k")).update(`e1.${at}.{}`).digest("base64");
const headers = { "webhook-id": "e1", "webhook-timestamp": at,
  "webhook-signature": `v1,AAAA v1,${signed}` };
if (!verify(secret, headers, Buffer.from("{}"))) throw new Error("it is the board's");
if (verify(secret, headers, Buffer.from("{ }"))) throw new Error("it is not the board's");
""",
}
COMMANDS = {
    "curl": ["bash", "-euo", "pipefail", "-c"],
    "Python": [sys.executable, "-c"],
    "Node": ["node", "--input-type=module", "--eval"],
}


@pytest.mark.parametrize("language", COMMANDS)
def test_the_examples_of_the_guide_work(service, tmp_path, language):
    page = requests.get(f"{service.url}/docs", timeout=60).text
    blocks = re.findall(rf'<code data-language="{language}">(.*?)</code>', page, re.DOTALL)
    assert len(blocks) == 8
    script = "\n".join(html.unescape(block) for block in blocks) + CHECKS.get(language, "")
    # The only address that no test listens on.
    script = script.replace("https://receiver.example/hooks", "http://127.0.0.1:9/hooks")
    environment = os.environ | {
        "BOARD": service.url,
        "CLIENT_ID": service.client_id,
        "CLIENT_SECRET": service.client_secret,
    }
    run = subprocess.run(
        [*COMMANDS[language], script],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    # The first events may come from other tests.
    assert "JobPosting" in run.stdout or language == "Node"
    assert '"complete":true' in run.stdout
    # Programs in every language print the body of a refusal, as the guide shows it.
    refusal = '"location_country_code":["must be a country code'
    assert refusal in run.stdout and refusal in html.unescape(page)


def test_what_programs_read_first_leads_to_a_push(service):
    text = requests.get(f"{service.url}/llms.txt", timeout=60).text
    [script] = re.findall(r"```sh\n(.*?)```", text, re.DOTALL)
    environment = os.environ | {
        "BOARD": service.url,
        "CLIENT_ID": service.client_id,
        "CLIENT_SECRET": service.client_secret,
    }
    command = [*COMMANDS["curl"], script]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
    assert re.fullmatch(r'{"data":{"uuid":"[0-9a-f-]{36}"}}', run.stdout), run.stdout + run.stderr
