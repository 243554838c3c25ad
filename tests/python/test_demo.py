"""The demo, used as README describes it."""

import os
import re
import subprocess
import time
from pathlib import Path

from test_console import chromium  # noqa: F401, a fixture


def test_the_link_of_the_demo_opens_the_console(chromium, tmp_path):  # noqa: F811
    program = str(Path(os.environ["POSTHASTE_BIN"]).resolve())
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "USER": "ann"}
    command = [program, "demo", "--data-dir", str(tmp_path / "demo")]
    with subprocess.Popen(
        command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True
    ) as demo:
        try:
            said = ""
            while "Serving until Ctrl-C" not in said:
                line = demo.stdout.readline()
                assert line, f"the demo ended by itself:\n{said}"
                said += line
            assert "lumenfold-17" in said
            chromium.look(1280, "light")
            chromium.get(re.search(r"http\S+/sign-in\?link=\S+", said)[0])
            chromium.press("Sign in")
            assert chromium.one("h1").text == "Overview"
            if pictures := os.environ.get("POSTHASTE_PICTURES"):
                # The latest pushes are counted within half a minute.
                end = time.monotonic() + 180
                while time.monotonic() < end and not chromium.all("tbody td.nowrap")[0].text:
                    time.sleep(1)
                    chromium.refresh()
                chromium.picture(Path(pictures) / "console.png")
                # The page has the text as pushed, as Markdown, and as readers see it.
                chromium.get(chromium.current_url.rstrip("/") + "/postings?id=lumenfold-17")
                chromium.follow(chromium.one("tbody a[href^='/postings/']"))
                texts = chromium.one("section[aria-labelledby=h-texts]")
                assert texts.screenshot(str(Path(pictures) / "posting.png"))
        finally:
            demo.terminate()
    assert demo.returncode == 0
