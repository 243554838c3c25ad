"""A fuzzer checks the service against its OpenAPI document."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import serving

# Every run sends the same requests, unless another seed is set.
SEED = os.environ.get("POSTHASTE_FUZZ_SEED", "20261120")
EXAMPLES = os.environ.get("POSTHASTE_FUZZ_EXAMPLES", "60")


@pytest.fixture
def service(tmp_path_factory):
    """A client of a server that delivers no webhook to itself.

    The fuzzer registers URLs that it found in answers, among them the server's own. Thousands of
    deliveries would slow down the fuzzer and every later test.
    """
    variables = {"POSTHASTE_CONSOLE_BIND": "off", "POSTHASTE_WEBHOOK_PRIVATE": "refuse"}
    with serving(tmp_path_factory.mktemp("fuzzed"), variables) as server:
        yield server.client("fuzzer")


def test_schemathesis_finds_nothing(service, tmp_path):
    here = Path(__file__).parent
    configuration = here / "schemathesis.toml"
    command = [sys.executable, "-m", "schemathesis.cli"]
    command += ["--config-file", str(configuration)]
    command += ["run", f"{service.url}/api/openapi.json"]
    command += ["--checks", "all", "--mode", "all"]
    # One worker: before CPython 3.11.8 and 3.12.2, two threads that parse Python at once sometimes
    # fail (https://github.com/python/cpython/issues/106905).
    command += ["--seed", SEED, "--max-examples", EXAMPLES, "--workers", "1"]
    command += ["--continue-on-failure", "--request-timeout", "60"]
    environment = os.environ | {
        "POSTHASTE_FUZZ_TOKEN": service.token(),
        "POSTHASTE_FUZZ_CLIENT_ID": service.client_id,
        "POSTHASTE_FUZZ_CLIENT_SECRET": service.client_secret,
        "SCHEMATHESIS_HOOKS": "hooks",
        "PYTHONPATH": str(here),
    }
    # The fuzzer writes its files into a temporary folder.
    run = subprocess.run(
        command,
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=1800,
    )
    assert run.returncode == 0, run.stdout + run.stderr
