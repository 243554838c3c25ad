"""A client generated from the OpenAPI document has correct types, and works."""

import json
import os
import subprocess
import sys
from pathlib import Path

import requests

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


def test_generated_pydantic_models_write_pushes_and_read_answers(
    service, posting, tmp_path, monkeypatch
):
    document = requests.get(f"{service.url}/api/openapi.json", timeout=30).content
    (tmp_path / "openapi.json").write_bytes(document)
    generator = [str(Path(sys.executable).with_name("datamodel-codegen"))]
    generator += ["--input", "openapi.json", "--input-file-type", "openapi"]
    generator += ["--output", "posthaste_models.py", "--formatters", "builtin"]
    generator += ["--output-model-type", "pydantic_v2.BaseModel", "--use-annotated"]
    generated = subprocess.run(generator, cwd=tmp_path, capture_output=True, timeout=300)
    assert generated.returncode == 0, generated.stderr
    monkeypatch.syspath_prepend(tmp_path)
    import posthaste_models as models

    # Pydantic writes URLs in this form.
    posting["company"]["website_url"] += "/"
    payload = models.PostingPayload.model_validate(posting)
    # A value that is not sent stays as it is; `null` would clear it.
    sent = payload.model_dump(mode="json", exclude_unset=True)
    assert sent == posting
    bearer = {"Authorization": f"Bearer {service.token()}"}
    url = f"{service.url}/api/job-board/job-postings/pydantic-1"
    answer = requests.put(url, json=sent, headers=bearer, timeout=30)
    pushed = models.PutAnswer.model_validate_json(answer.content)
    answer = requests.get(url, headers=bearer, timeout=30)
    read = models.PostingAnswer.model_validate_json(answer.content)
    assert read.data.uuid == pushed.data.uuid
    line = json.dumps({"id": "pydantic-1", "payload": sent})
    imports = f"{service.url}/api/job-board/imports?receipts=all"
    bearer["Content-Type"] = "application/x-ndjson"
    answer = requests.post(imports, data=line, headers=bearer, timeout=30)
    receipt, summary = map(models.ImportLine.model_validate_json, answer.content.splitlines())
    assert (receipt.root.line, summary.root.summary.unchanged) == (1, 1)
