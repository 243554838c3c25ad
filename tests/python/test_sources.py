"""From a source to a posting: the presets, and the Scrapy pipeline run by Scrapy."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import requests
from conftest import serving

ROOT = Path(__file__).parents[2]
SAMPLES = ROOT / "crates/push/src/from/samples"
SPIDER = """
import os, scrapy

class Jobs(scrapy.Spider):
    name = "jobs"
    start_urls = os.environ["PAGES"].split()
    custom_settings = {
        "ITEM_PIPELINES": {"posthaste_scrapy.PosthastePipeline": 800},
        "POSTHASTE_URL": os.environ["BOARD"],
        "POSTHASTE_CLIENT_ID": os.environ["CLIENT_ID"],
        "POSTHASTE_CLIENT_SECRET": os.environ["CLIENT_SECRET"],
        "RETRY_ENABLED": False, "TELNETCONSOLE_ENABLED": False,
    }

    def parse(self, response):
        title = response.css("h1::text").get()
        if title == "crash":
            raise ValueError("the page has changed")
        yield {
            "id": title if title != "dropped" else None, "title": title,
            "raw_description": response.css("p").get(), "application_url": "https://a.example/1",
            "company": {"name": "Acme", "website_url": "https://acme.example"},
        }
"""


@pytest.fixture
def board(tmp_path):
    with serving(tmp_path, {"POSTHASTE_CONSOLE_BIND": "off"}) as server:
        yield server.client("spider")


def status(board, identifier):
    answer = requests.get(
        f"{board.url}/api/job-board/job-postings/{identifier}",
        headers={"Authorization": f"Bearer {board.token()}"},
        timeout=60,
    )
    return answer.json()["data"]["status"] if answer.status_code == 200 else None


def crawl(board, folder, titles):
    """Runs the spider on pages with these titles, and returns its log."""
    pages = []
    for number, title in enumerate(titles):
        page = folder / f"{number}.html"
        page.write_text(f"<h1>{title}</h1><p>We look for a gardener who knows roses.</p>")
        pages.append(page.as_uri() if title != "missing" else f"{page.as_uri()}.gone")
    spider = folder / "spider.py"
    spider.write_text(SPIDER)
    environment = os.environ | {
        "BOARD": board.url,
        "CLIENT_ID": board.client_id,
        "CLIENT_SECRET": board.client_secret,
        "PAGES": " ".join(pages),
        "PYTHONPATH": str(ROOT / "docs/examples"),
    }
    run = subprocess.run(
        [sys.executable, "-m", "scrapy", "runspider", spider],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return run.stderr


def test_a_spider_that_crashes_sends_no_catalogue(board, tmp_path):
    log = crawl(board, tmp_path, ["one", "two"])
    assert "'created': 2" in log, log
    for trouble in ["crash", "missing", "dropped"]:
        log = crawl(board, tmp_path, ["one", trouble])
        assert "nothing expires" in log, log
        assert "'unchanged': 1" in log, log
        assert status(board, "two") != "expired", log
    log = crawl(board, tmp_path, ["one"])
    assert "'expired': 1" in log, log
    assert status(board, "two") == "expired"


def test_every_preset_is_pushed_with_all_its_items(board):
    program = os.environ["POSTHASTE_BIN"]
    for lines in sorted(SAMPLES.glob("*.ndjson")):
        preset, [source] = lines.stem, [
            it for it in SAMPLES.glob(f"{lines.stem}.*") if it.suffix != ".ndjson"
        ]
        command = [program, "push", source, "--from", preset, "--set", f"id_prefix={preset}-"]
        printed = subprocess.run([*command, "--print"], capture_output=True, text=True)
        items = printed.stdout.splitlines()
        failed = [item for item in items if json.loads(item)["id"] is None]
        assert len(items) == len(lines.read_text().splitlines()), printed.stderr
        pushed = subprocess.run(
            [*command, "--json", "--catalogue", preset, "--url", board.url],
            env=os.environ
            | {
                "POSTHASTE_CLIENT_ID": board.client_id,
                "POSTHASTE_CLIENT_SECRET": board.client_secret,
            },
            capture_output=True,
            text=True,
        )
        assert pushed.returncode == 1, pushed.stderr
        summary = json.loads(pushed.stdout)
        assert (summary["lines"], summary["unattributed"]) == (len(items), len(failed)), preset
        assert f"{len(failed)} of {len(items)} items give no posting" in pushed.stderr
