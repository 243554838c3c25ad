"""The operators' console in a browser: with and without scripts, on a phone and a large screen."""

import json
import os
import sqlite3
import time
import uuid
from pathlib import Path
from urllib.parse import quote

import pytest
import requests
from selenium.webdriver.common.keys import Keys

from conftest import free_port, serving
from webdriver import Browser

EVIL = "\"'><script>document.title='taken over'</script>"
# The longest word that a field accepts.
WORD = "Donaudampfschiffahrt" * 12 + "skapitänsmützen"
# The widths of a phone, a tablet and two desktop screens, in pixels.
WIDTHS = [360, 768, 1024, 1280]
SCHEMES = ["light", "dark"]
POSTINGS = 60
# An identifier of the maximum length.
WIDE = "desk-wide" + "w" * 240


class Desk:
    """A server with a console and some content."""

    def __init__(self, server, console):
        self.server, self.console = server, console
        self.wide = server.client(WORD, "--prefix", "w" * 200)
        self.client = server.client(EVIL, "--prefix", EVIL, "--prefix", "desk-")
        self.headers = {"Authorization": f"Bearer {self.client.token()}"}
        self.api = f"{server.url}/api/job-board"

    def fill(self):
        """Pushes postings and waits for their enrichment; adds a webhook and a person."""
        lines = [self.line(f"desk-{n:02}", f"Gardener {n}") for n in range(POSTINGS)]
        lines += [self.line(EVIL, EVIL), self.line("desk-refused", "")]
        lines += [self.wide_line()]
        answer = requests.put(
            f"{self.api}/catalogues/roses",
            data="\n".join(json.dumps(line) for line in lines),
            headers=self.headers | {"Content-Type": "application/x-ndjson"},
            timeout=60,
        )
        assert answer.status_code == 200, answer.text
        # Enrichment must be over: an operator cannot decide about a posting that changes meanwhile.
        end = time.monotonic() + 180
        for n in range(POSTINGS):
            while (state := self.posting(f"desk-{n:02}"))["status"] == "PendingEnrichment":
                assert time.monotonic() < end, state
                time.sleep(0.1)
        self.server.command(
            "webhooks", "create", "--url", "http://127.0.0.1:9/hook", "--description", EVIL
        )
        for command in ("suppress", "reinstate"):
            self.server.command("subscribers", command, "ada@example.com", "--reason", EVIL)

    def wide_line(self):
        """A line whose values have no spaces where they could break."""
        line = self.line(WIDE, WORD)
        line["payload"]["raw_description"] += f"<p>{WORD * 9}</p><h2>{WORD}</h2><pre>{WORD}</pre>"
        line["payload"]["metadata"] = {WORD: WORD * 9, "list": [WORD, WORD]}
        line["payload"]["location_city"] = WORD
        line["payload"]["company"] = {
            "name": WORD,
            "website_url": f"https://a.example/{'w' * 900}",
            "logo_path": "w" * 900,
        }
        return line

    @staticmethod
    def line(identifier, title):
        payload = {
            "title": title,
            "raw_description": f"<h2>We</h2><p>Rosenhof is looking for a gardener who knows "
            f"roses and hedges. Mail ann@rosenhof.example. {EVIL * 3}</p>" + "<p>word </p>" * 200,
            "application_url": "https://apply.example/" + "long-" * 60,
            "location_city": EVIL,
            "metadata": {"key": EVIL},
            "company": {
                "name": f"Rosenhof {EVIL}",
                "website_url": "https://rosenhof.example",
                "logo_path": EVIL,
            },
        }
        return {"id": identifier, "payload": payload}

    def posting(self, identifier):
        path = f"job-postings/{quote(identifier, safe='')}"
        answer = requests.get(f"{self.api}/{path}", headers=self.headers, timeout=60)
        assert answer.status_code == 200, answer.text
        return answer.json()["data"]

    def event(self):
        """The id of the first stored event about a posting of the client."""
        answer = requests.get(f"{self.api}/events?limit=1", headers=self.headers, timeout=60)
        return answer.json()["data"][0]["id"]

    def kill_task(self, identifier):
        """Makes the enrichment of a posting a dead letter, as a worker does after many failures."""
        store = sqlite3.connect(self.server.folder / "data" / "posthaste.db", timeout=60)
        subject = uuid.UUID(self.posting(identifier)["uuid"]).bytes
        # A task that was retried before may be running.
        end = time.monotonic() + 180
        while store.execute("SELECT 1 FROM outbox WHERE subject = ?", (subject,)).fetchone():
            assert time.monotonic() < end, identifier
            time.sleep(0.1)
        now = time.time_ns() // 1000
        with store:
            store.execute(
                "INSERT INTO outbox (kind, subject, attempts, next_at, first_failed_at,"
                " last_error, dead_at, created_at) VALUES ('enrich', ?, 9, ?, ?, ?, ?, ?)",
                (subject, now, now, EVIL, now, now),
            )
        store.close()

    def link(self, operator="ann"):
        return self.server.command("console", "link", "--as", operator).strip()


@pytest.fixture(scope="module")
def desk(tmp_path_factory, allow_plain_http):
    console = f"127.0.0.1:{free_port()}"
    variables = {"POSTHASTE_CONSOLE_BIND": console}
    with serving(tmp_path_factory.mktemp("console"), variables) as server:
        desk = Desk(server, f"http://{console}")
        desk.fill()
        yield desk


@pytest.fixture(scope="module")
def chromium(tmp_path_factory):
    browser = Browser(tmp_path_factory.mktemp("chromium"))
    yield browser
    browser.quit()


@pytest.fixture(params=[True, False], ids=["scripts", "no-scripts"])
def browser(chromium, desk, request):
    """A browser that is signed in by a link."""
    chromium.look(1280, "light")
    chromium.scripts(enabled=request.param)
    chromium.has_scripts = request.param
    chromium.asks = lambda question: question if request.param else None
    chromium.get(desk.link())
    chromium.press("Sign in")
    assert chromium.one("h1").text == "Overview"
    yield chromium
    chromium.get(desk.console)
    chromium.press("Sign out")
    assert chromium.current_url.endswith("/sign-in")
    chromium.scripts(enabled=True)


def choose_all(browser):
    if browser.has_scripts:
        browser.one("th.pick input").click()
    else:
        for box in browser.all("td.pick input"):
            box.click()


def test_postings_are_found_and_moderated(desk, browser):
    number = "11" if browser.has_scripts else "22"
    browser.get(f"{desk.console}/postings")
    browser.fill("#f-title", f"gardener {number}")
    browser.press("Search")
    assert len(browser.all("tbody tr")) == 1
    browser.follow(browser.one("tbody th a"))
    assert browser.one("h1").text == f"Gardener {number}"
    assert "[email]" in [mark.text for mark in browser.all("mark")]
    for button, question in (("Reject", None), ("Expire", "Take this posting down?")):
        browser.press(button, question and browser.asks(question))
        assert "reason: must not be empty" in browser.one("main").text
    browser.fill("#d-reason", EVIL)
    browser.press("Reject")
    assert browser.one(".notice").text == "The posting is rejected."
    posting = desk.posting(f"desk-{number}")
    assert (posting["status"], posting["status_reason"]) == ("rejected", EVIL)
    assert posting["history"][-1]["by"] == "operator:ann"
    assert "Expire" not in browser.one("main form").text


def test_many_postings_are_moderated(desk, browser):
    prefix = "desk-3" if browser.has_scripts else "desk-4"
    browser.get(f"{desk.console}/postings?id={prefix}")
    assert len(browser.all("td.pick")) == 10
    browser.press("Approve")
    assert "id: choose at least one posting" in browser.one("main").text
    browser.back()
    choose_all(browser)
    if browser.has_scripts:
        assert browser.one(".chosen").text == "10 chosen"
    browser.press("Feature")
    refused = browser.all("td .bad")
    assert browser.one(".notice").text == f"Done: {10 - len(refused)} of 10."
    if refused:
        browser.follow(browser.all("main p a")[-1])
    assert f"/postings?id={prefix}" in browser.current_url
    choose_all(browser)
    browser.fill("#m-reason", "They are one and the same.")
    browser.press("Reject")
    assert browser.one(".notice").text == "Done: 10 of 10."
    assert "They are one and the same." in browser.all("tbody tr")[0].text
    for n in range(10):
        assert desk.posting(f"{prefix}{n}")["status"] == "rejected"


def test_postings_are_moderated_by_keyboard(desk, chromium):
    chromium.look(1280, "light")
    chromium.get(desk.link())
    chromium.press("Sign in")
    chromium.get(f"{desk.console}/postings?id=desk-0")
    chromium.keys("jjx")
    assert chromium.one(".chosen").text == "1 chosen"
    chromium.keys("xk?")
    assert chromium.one("#keys").is_displayed()
    chromium.keys(Keys.ESCAPE)
    assert not chromium.one("#keys").is_displayed()

    def done():
        end = time.monotonic() + 180
        while not (told := chromium.all(".notice")):
            assert time.monotonic() < end, chromium.page_source
            time.sleep(0.05)
        assert told[0].text == "Done: 1 of 1."

    chromium.keys("a")
    done()
    assert desk.posting("desk-00")["history"][-1]["by"] == "operator:ann"
    # The same row has the focus, and the next decision is about the row after it.
    chromium.keys("jr")
    assert chromium.switch_to.active_element.get_property("id") == "m-reason"
    chromium.get(f"{desk.console}/postings?id=desk-0")
    chromium.keys("jjr")
    chromium.keys("Spam." + Keys.ENTER)
    done()
    posting = desk.posting("desk-01")
    assert (posting["status"], posting["status_reason"]) == ("rejected", "Spam.")
    chromium.keys("/")
    assert chromium.switch_to.active_element.get_property("id") == "f-title"
    chromium.get(desk.console)
    chromium.press("Sign out")


def test_the_overview_leads_to_what_needs_attention(desk, browser):
    def dead_tasks():
        items = browser.all(".attention li")
        return [it for it in items if "dead task of enrich" in it.text]

    attention(desk, browser, lambda: not dead_tasks())
    desk.kill_task("desk-53")
    attention(desk, browser, dead_tasks)
    browser.follow(dead_tasks()[0].find_element("css selector", "a"))
    assert browser.one("h1").text == "Outbox"
    desk.server.command("outbox", "retry", "--all-dead")
    attention(desk, browser, lambda: not dead_tasks())


def attention(desk, browser, is_shown):
    """Waits until the worker has checked again what needs attention."""
    end = time.monotonic() + 180
    browser.get(desk.console)
    while not is_shown():
        assert time.monotonic() < end, browser.page_source
        time.sleep(1)
        browser.refresh()


def test_filters_are_folded_on_a_phone(desk, browser):
    shown = "return document.querySelector('#f-company').checkVisibility()"
    browser.get(f"{desk.console}/postings")
    assert browser.execute_script(shown)
    browser.look(360, "light")
    assert browser.one("#f-title").is_displayed() and not browser.execute_script(shown)
    browser.one(".filters summary").click()
    assert browser.execute_script(shown)
    browser.look(1280, "light")


def test_another_site_posts_nothing(desk, chromium, tmp_path):
    chromium.get(desk.link())
    chromium.press("Sign in")
    token = chromium.one(".who input[name=token]").get_property("value")
    page = tmp_path / "evil.html"
    page.write_text(
        f"<form method=post action='{desk.console}/sign-out'>"
        f"<input name=token value='{token}'><button>Win</button></form>"
    )
    chromium.get(page.as_uri())
    chromium.press("Win")
    # Browsers do not even send a cookie with SameSite=Strict.
    assert chromium.one("h1").text in ("Refused", "Sign in"), chromium.page_source
    chromium.get(desk.console)
    assert chromium.one("h1").text == "Overview"
    chromium.press("Sign out")


@pytest.fixture(scope="module")
def axe():
    """The source of axe-core, which finds barriers for people with disabilities."""
    file = os.environ.get("POSTHASTE_AXE")
    assert file, "POSTHASTE_AXE must name axe.min.js of axe-core"
    return Path(file).read_text()


def pages(desk):
    posting = desk.posting("desk-55")
    wide = desk.posting(WIDE)
    webhooks = json.loads(desk.server.command("webhooks", "list", "--json"))
    return [
        "/",
        "/postings",
        "/postings?title=nothing+like+it",
        f"/postings/{posting['uuid']}",
        f"/postings/{desk.posting('desk-11')['uuid']}?did=approve",
        f"/postings/{uuid.UUID(int=0)}",
        "/postings?id=desk-wide&title=donau",
        f"/postings/{wide['uuid']}",
        f"/companies/{wide['company']['uuid']}",
        f"/clients/{desk.wide.client_id}",
        "/companies",
        "/companies?from=rosenhof.example",
        f"/companies/{posting['company']['uuid']}",
        "/clients",
        f"/clients/{desk.client.client_id}",
        "/catalogues",
        "/webhooks",
        f"/webhooks/{webhooks[0]['id']}",
        f"/webhooks/{webhooks[0]['id']}/deliveries/{desk.event()}",
        "/outbox",
        "/outbox?show=waiting",
        "/subscribers",
        "/subscribers?email=ada%40example.com",
        "/audit",
        "/sign-in",
        "/sign-in?link=x",
        "/postings?status=x",
    ]


# Scripts move nothing, so only the narrowest and the widest page are tested with scripts.
@pytest.mark.parametrize(
    ("width", "scripts"), [(WIDTHS[0], True), (WIDTHS[-1], True), *((w, False) for w in WIDTHS)]
)
def test_every_page_fits_and_is_accessible(desk, chromium, axe, width, scripts):
    desk.kill_task(f"desk-5{WIDTHS.index(width) + 4 * (not scripts)}")
    chromium.look(width, "light")
    chromium.scripts(enabled=scripts)
    chromium.get(desk.link("o" * 100))
    chromium.press("Sign in")
    pictures = os.environ.get("POSTHASTE_PICTURES")
    faults = []
    for path in pages(desk):
        chromium.get(desk.console + path)
        assert chromium.title.endswith(" – Posthaste"), path
        for scheme in SCHEMES:
            faults += faults_of(chromium, axe, (width, scheme), path, scripts)
            if pictures and scripts:
                name = path.strip("/").replace("/", "-").replace("?", "-") or "overview"
                chromium.picture(Path(pictures) / f"{name[:24]}-{width}-{scheme}.png")
    chromium.get(desk.console)
    chromium.press("Sign out")
    chromium.scripts(enabled=True)
    desk.server.command("outbox", "retry", "--all-dead")
    assert not faults, "\n".join(faults)


def faults_of(browser, axe, look, path, scripts):
    """The faults of the page at this width and in this color scheme."""
    width, scheme = look
    browser.look(width, scheme)
    faults = []
    if (wide := browser.excess()) > 0:
        faults.append(f"{path} {scheme}: {wide} px wider than the window")
    if scheme == SCHEMES[0] and (words := browser.broken()):
        faults.append(f"{path}: {words} are divided")
    # In between, a page has the same content.
    if scripts and width in (WIDTHS[0], WIDTHS[-1]):
        faults += [f"{path} {scheme}: {fault}" for fault in barriers(browser, axe, scheme)]
    return faults


@pytest.mark.parametrize("width", WIDTHS)
def test_the_pages_of_a_client_fit_and_are_accessible(desk, chromium, axe, width):
    pages = f"{desk.server.url}/integration"
    hook = requests.post(
        f"{desk.api}/webhooks",
        json={"url": "http://127.0.0.1:9/own", "description": EVIL},
        headers=desk.headers,
        timeout=60,
    )
    hook = hook.json()["data"]["id"]
    chromium.look(width, "light")
    chromium.scripts(enabled=width != WIDTHS[0])
    chromium.get(desk.server.command("clients", "link", desk.client.client_id).strip())
    chromium.press("Sign in")
    assert chromium.one("h1").text == EVIL.strip()
    assert any("desk-refused" in it.text for it in chromium.all("table.stack"))
    chromium.get(f"{pages}/postings?id=desk-50")
    chromium.follow(chromium.one("tbody th a"))
    assert chromium.one("h1").text == "Gardener 50"
    assert "[email]" in chromium.all(".text")[-1].text
    chromium.get(f"{pages}/webhooks/{hook}")
    chromium.press("Send test")
    assert "The receiver did not answer" in chromium.one(".notice").text
    chromium.scripts(enabled=True)
    faults = []
    for path in [
        "",
        "/postings",
        "/postings?status=x",
        "/postings?posting=desk-50",
        "/postings?posting=nothing",
        "/catalogues",
        "/webhooks",
        f"/webhooks/{hook}",
        f"/webhooks/{hook}/deliveries/{desk.event()}",
        "/sign-in?link=x",
    ]:
        chromium.get(pages + path)
        for scheme in SCHEMES:
            faults += faults_of(chromium, axe, (width, scheme), path, scripts=True)
    chromium.get(pages)
    chromium.press("Sign out")
    faults += faults_of(chromium, axe, (width, SCHEMES[0]), "signed out", scripts=True)
    assert not faults, "\n".join(faults)


def barriers(browser, axe, scheme):
    """The barriers on the page for people with disabilities."""
    browser.execute_script(axe)
    # The color scheme changes only contrasts.
    rules = {"runOnly": ["color-contrast"]} if scheme != SCHEMES[0] else {}
    found = browser.execute_async_script(
        "const [options, done] = arguments;"
        "axe.run(document, {...options, resultTypes: ['violations']}).then("
        "  (found) => done(found.violations), (error) => done([{impact: 'critical',"
        "  id: String(error), nodes: []}]));",
        rules,
    )
    return [
        f"{one['impact']} {one['id']} {node['html'][:200]}"
        for one in found
        for node in one["nodes"][:3] or [{"html": ""}]
        if one["impact"] in ("serious", "critical")
    ]


def test_the_checks_see_faults(chromium, axe, tmp_path):
    """The checks find a page that is too wide and has no text for screen readers."""
    page = tmp_path / "bad.html"
    page.write_text("<title>x</title><main style='width: 900px'><img src=x><input></main>")
    chromium.look(360, "light")
    chromium.get(page.as_uri())
    assert chromium.excess() > 0
    chromium.execute_script(axe)
    found = chromium.execute_async_script(
        "const done = arguments[arguments.length - 1];"
        "axe.run().then((found) => done(found.violations.map((one) => one.id)));"
    )
    assert {"image-alt", "label"} <= set(found)
