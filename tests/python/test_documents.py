"""README and docs/: the commands, variables and metrics that they name are those of the program."""

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
OPERATIONS = "\n".join(path.read_text() for path in sorted((ROOT / "docs/operations").glob("*.md")))


@cache
def help_of(*command):
    """What `--help` of a command prints."""
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


def documented():
    """The variables of the tables, each with its default or None."""
    variables = {}
    for row in re.findall(r"^\| (`[A-Z].*?) \| (.*?) \|", OPERATIONS, re.MULTILINE):
        for name in re.findall(r"`([A-Z_]{6,})`", row[0]):
            default = re.fullmatch(r"`([^`$]*)`", row[1])
            variables[name] = default and default[1]
    return variables


def test_the_variables_of_what_serves_are_in_the_tables():
    variables = documented()
    wrong = []
    for command in ("serve", "worker"):
        for text in re.split(r"\n(?=\s+--|\s+-\w)", help_of(command)):
            name = re.search(r"\[env: ([A-Z_]+)", text)
            if not name:
                continue
            default = re.search(r"\[default: (.*?)\]", text)
            if name[1] not in variables:
                wrong.append(f"{name[1]} is in no table of docs/operations")
            elif default and variables[name[1]] not in (None, default[1]):
                wrong.append(f"{name[1]} has the default {default[1]}")
    assert not wrong, "\n".join(wrong)


def test_the_metrics_of_the_page_are_in_the_table(tmp_path):
    variables = {"POSTHASTE_CONSOLE_BIND": "off"}
    with serving(tmp_path, variables) as server:
        requests.get(f"{server.url}/healthz", timeout=5)
        admin = server.environment["POSTHASTE_ADMIN_BIND"]
        page = requests.get(f"http://{admin}/metrics", timeout=10).text
    table = OPERATIONS[OPERATIONS.index("\n| metric | meaning |") :].partition("\n\n")[0]
    named = set(re.findall(r"`([a-z_]+)(?:\{[^}]*\})?`", table))
    missing = set(re.findall(r"^# TYPE (\S+)", page, re.MULTILINE)) - named
    assert not missing
    sources = "\n".join(path.read_text() for path in ROOT.glob("crates/*/src/**/*.rs"))
    metrics = {name for name in named if name.startswith(("posthaste_", "process_", "http_"))}
    assert not {name for name in metrics if name not in sources}
