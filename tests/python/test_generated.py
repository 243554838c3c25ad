"""A client that is generated from the OpenAPI document has types that hold, and works."""

import os
import re
import subprocess
import sys
from pathlib import Path

PROGRAM = Path(__file__).parent / "generated_client.py"
# The generator casts a list that it has just found to be a list.
MYPY = ["mypy", "--strict", "--no-warn-redundant-casts", "--cache-dir", os.devnull]


def test_a_program_with_a_generated_client_pushes_and_reads(service, tmp_path):
    def run(*command):
        return subprocess.run(
            command,
            cwd=tmp_path,
            env=os.environ | {"MYPYPATH": str(tmp_path), "PYTHONPATH": str(tmp_path)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=300,
        )

    configuration = tmp_path / "generator.yaml"
    # Nobody reads the package, so it is not formatted.
    # Lines of JSON are bytes to it.
    configuration.write_text(
        "post_hooks: []\n"
        "content_type_overrides:\n  application/x-ndjson: application/octet-stream\n"
    )
    generator = [str(Path(sys.executable).with_name("openapi-python-client")), "generate"]
    generator += ["--url", f"{service.url}/api/openapi.json", "--config", str(configuration)]
    generator += ["--meta", "none", "--output-path", "posthaste_client"]
    generated = run(*generator)
    assert generated.returncode == 0, generated.stdout
    # It prints what it does not understand and leaves out.
    printed = [line for line in generated.stdout.splitlines() if line]
    assert printed == ["Generating posthaste_client"], generated.stdout

    # Each module of the package, also those that the program does not import.
    checked = run(sys.executable, "-m", *MYPY, str(PROGRAM), "posthaste_client")
    assert checked.returncode == 0, checked.stdout
    ran = run(sys.executable, str(PROGRAM), service.url, service.client_id, service.client_secret)
    assert ran.returncode == 0, ran.stdout
