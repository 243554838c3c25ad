"""A client generated from the OpenAPI document has correct types, and works."""

import os
import re
import subprocess
import sys
from pathlib import Path

PROGRAM = Path(__file__).parent / "generated_client.py"
# The generator casts a list after it has checked that it is a list.
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
    # The package is not read by people, so it is not formatted.
    # The generator gets lines of JSON as bytes.
    configuration.write_text(
        "post_hooks: []\n"
        "content_type_overrides:\n  application/x-ndjson: application/octet-stream\n"
    )
    generator = [str(Path(sys.executable).with_name("openapi-python-client")), "generate"]
    generator += ["--url", f"{service.url}/api/openapi.json", "--config", str(configuration)]
    generator += ["--meta", "none", "--output-path", "posthaste_client"]
    generated = run(*generator)
    assert generated.returncode == 0, generated.stdout
    # The generator prints the parts that it does not understand and leaves out.
    printed = [line for line in generated.stdout.splitlines() if line]
    assert printed == ["Generating posthaste_client"], generated.stdout

    # Checks each module of the package, also modules that the program does not import.
    checked = run(sys.executable, "-m", *MYPY, str(PROGRAM), "posthaste_client")
    assert checked.returncode == 0, checked.stdout
    ran = run(sys.executable, str(PROGRAM), service.url, service.client_id, service.client_secret)
    assert ran.returncode == 0, ran.stdout
