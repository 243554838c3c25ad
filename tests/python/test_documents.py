"""The commands and metrics in README and docs/ are those of the program."""

import os
import re
import shlex
import subprocess
from functools import cache
from pathlib import Path

import requests
from conftest import serving

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


@cache
def help_of(*command):
    """The output of a command's `--help`."""
    program = str(Path(os.environ["POSTHASTE_BIN"]).resolve())
    environment = {"PATH": os.environ["PATH"], "COLUMNS": "1000"}
    done = subprocess.run(
        [program, *command, "--help"], capture_output=True, check=True, text=True, env=environment
    )
    return done.stdout


def subcommands(*command):
    """The commands below a command, by its help."""
    _, _, rest = help_of(*command).partition("\nCommands:\n")
    return set(re.findall(r"^  ([a-z-]+) ", rest.partition("\n\n")[0], re.MULTILINE))


def commands():
    """Each command line of the program in code, with its page."""
    for page in PAGES:
        for line in re.findall(r"posthaste ([a-z][a-z-]*(?: [^\n`#|&\\]*)?)", page.read_text()):
            words = shlex.split(line.replace("'", " "))
            if words[0] in subcommands():
                yield page.relative_to(ROOT), words


def test_commands_exist_with_their_options():
    wrong = []
    for page, words in commands():
        command = []
        while words and words[0] in subcommands(*command):
            command.append(words.pop(0))
        if subcommands(*command) and words and re.fullmatch("[a-z]+", words[0]):
            wrong.append(f"{page}: {' '.join(command)} has no {words[0]}")
        known = help_of(*command)
        for option in (word.partition("=")[0] for word in words if word.startswith("--")):
            if not re.search(rf"{option}\b", known):
                wrong.append(f"{page}: {' '.join(command)} has no {option}")
    assert not wrong, "\n".join(wrong)


def test_the_reference_has_every_metric_of_the_page(tmp_path):
    with serving(tmp_path, {"POSTHASTE_CONSOLE_BIND": "off"}) as server:
        requests.get(f"{server.url}/healthz", timeout=60)
        admin = server.environment["POSTHASTE_ADMIN_BIND"]
        page = requests.get(f"http://{admin}/metrics", timeout=60).text
    reference = (ROOT / "docs/reference.md").read_text()
    shown = re.findall(r"^# TYPE (\S+)", page, re.MULTILINE)
    assert shown
    assert not [name for name in shown if f"- `{name}` (" not in reference]
