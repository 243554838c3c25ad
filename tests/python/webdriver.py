"""A client of WebDriver, as small as the checks need it: chromedriver, and one browser."""

import base64
import re
import shutil
import subprocess
import time

import requests

# What identifies an element in answers (W3C WebDriver, 12.1).
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
ARGUMENTS = [
    "--headless=new",
    # Containers are run by root, and have little shared memory.
    "--no-sandbox",
    "--disable-dev-shm-usage",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
    "--hide-scrollbars",
    "--proxy-server=direct://",
]


class Browser:
    """Chromium without a screen."""

    def __init__(self, folder):
        driver = shutil.which("chromedriver")
        browser = shutil.which("chromium")
        assert driver and browser, "chromium and chromium-driver must be installed"
        self.log = folder / "chromedriver.log"
        with self.log.open("w") as output:
            self.driver = subprocess.Popen(
                [driver, "--port=0"], cwd=folder, stdout=output, stderr=output
            )
        try:
            self.http = requests.Session()
            self.http.trust_env = False
            self.url = f"http://127.0.0.1:{self._port()}"
            options = {"binary": browser, "args": [*ARGUMENTS, f"--user-data-dir={folder}/user"]}
            wanted = {"browserName": "chrome", "goog:chromeOptions": options}
            answer = self._call("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
            self.url += f"/session/{answer['sessionId']}"
            self.call("POST", "/timeouts", {"pageLoad": 180000, "script": 180000, "implicit": 0})
        except BaseException:
            self.driver.kill()
            raise

    def _port(self):
        end = time.monotonic() + 180
        while time.monotonic() < end and self.driver.poll() is None:
            found = re.search(r"started successfully on port (\d+)", self.log.read_text())
            if found:
                return int(found[1])
            time.sleep(0.05)
        raise AssertionError(f"chromedriver does not start:\n{self.log.read_text()}")

    def _call(self, method, path, body=None):
        answer = self.http.request(method, self.url + path, json=body, timeout=200)
        value = answer.json()["value"]
        assert answer.status_code == 200, value
        return value

    def call(self, method, path, body=None):
        """A command of the session."""
        return self._call(method, path, body)

    def close(self):
        """Ends the browser."""
        try:
            self.call("DELETE", "")
        finally:
            self.driver.terminate()
            self.driver.wait(timeout=60)

    def devtools(self, command, **parameters):
        """A command of the Chrome DevTools Protocol."""
        body = {"cmd": command, "params": parameters}
        return self.call("POST", "/goog/cdp/execute", body)

    def look(self, width, scheme):
        """Sets the width of the window and the color scheme."""
        metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        self.devtools("Emulation.setDeviceMetricsOverride", **metrics)
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.devtools("Emulation.setEmulatedMedia", features=features)

    def scripts(self, enabled):
        """Whether pages may run scripts, from the next one on."""
        self.devtools("Emulation.setScriptExecutionDisabled", value=not enabled)

    def open(self, url):
        """Opens a page."""
        self.call("POST", "/url", {"url": url})

    @property
    def address(self):
        """The address of the page."""
        return self.call("GET", "/url")

    @property
    def source(self):
        """The page as HTML."""
        return self.call("GET", "/source")

    def all(self, selector):
        """The elements of a CSS selector."""
        found = self.call(
            "POST", "/elements", {"using": "css selector", "value": selector}
        )
        return [Element(self, one[ELEMENT]) for one in found]

    def one(self, selector):
        """The only element of a CSS selector."""
        found = self.all(selector)
        assert len(found) == 1, f"{selector}: {len(found)} at {self.address}"
        return found[0]

    def press(self, text, question=None):
        """Presses the button with this text, and waits for the page that it leads to."""
        found = [button for button in self.all("button") if button.text == text]
        assert len(found) == 1, f"{text}: {len(found)} buttons at {self.address}"
        found[0].follow(question)

    def keys(self, text):
        """Presses keys wherever the focus is."""
        actions = [{"type": way, "value": key} for key in text for way in ("keyDown", "keyUp")]
        keyboard = {"type": "key", "id": "keyboard", "actions": actions}
        self.call("POST", "/actions", {"actions": [keyboard]})

    def focus(self):
        """The id of the element that has the focus."""
        return self.run("return document.activeElement.id")

    def excess(self):
        """By how many pixels the page is wider than the window."""
        return self.run("return document.scrollingElement.scrollWidth - innerWidth")

    def run(self, script, *arguments):
        """Runs a script in the page, and returns its value."""
        return self.call("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def run_async(self, script, *arguments):
        """Runs a script that calls its last argument with the value."""
        return self.call("POST", "/execute/async", {"script": script, "args": list(arguments)})

    def accept(self):
        """Says yes to a question of the page, and returns the question."""
        text = self.call("GET", "/alert/text")
        self.call("POST", "/alert/accept", {})
        return text

    def picture(self, file):
        """Writes a picture of the whole page."""
        size = self.devtools("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "scale": 1, "width": size["width"], "height": size["height"]}
        answer = self.devtools(
            "Page.captureScreenshot", format="png", clip=clip, captureBeyondViewport=True
        )
        file.write_bytes(base64.b64decode(answer["data"]))


class Element:
    """An element of a page."""

    def __init__(self, browser, identifier):
        self.browser = browser
        self.path = f"/element/{identifier}"

    @property
    def text(self):
        """Its text, as it is shown."""
        return self.browser.call("GET", f"{self.path}/text")

    @property
    def is_shown(self):
        """Whether it can be seen."""
        return self.browser.call("GET", f"{self.path}/displayed")

    def property(self, name):
        """A property."""
        return self.browser.call("GET", f"{self.path}/property/{name}")

    def click(self):
        """Clicks it."""
        self.browser.call("POST", f"{self.path}/click", {})

    def follow(self, question=None):
        """Clicks it, says yes to the question, and waits for the page that it leads to."""
        before = self.browser.one("html")
        self.click()
        if question:
            asked = self.browser.accept()
            assert question in asked, asked
        end = time.monotonic() + 180
        while before.is_there():
            assert time.monotonic() < end, f"nothing follows {self.browser.address}"
            time.sleep(0.02)

    def is_there(self):
        """Whether the page still has it."""
        url = f"{self.browser.url}{self.path}/name"
        return self.browser.http.get(url, timeout=200).status_code == 200

    def type(self, text):
        """Types a text in the place of its value."""
        self.browser.call("POST", f"{self.path}/clear", {})
        self.browser.call("POST", f"{self.path}/value", {"text": text})
