"""A headless Chromium, driven by Selenium."""

import base64
import shutil

from selenium.common.exceptions import WebDriverException
from selenium.webdriver import Chrome, ChromeOptions, ChromeService
from selenium.webdriver.common.by import By
from selenium.webdriver.support.wait import WebDriverWait

PATIENCE = 180
ARGUMENTS = [
    "--headless=new",
    # In containers the user is root, and shared memory is small.
    "--no-sandbox",
    "--disable-dev-shm-usage",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
    "--hide-scrollbars",
    "--proxy-server=direct://",
]

# A word of up to 20 characters must fit into each column, unless it is an address or shortened.
BROKEN = r"""
    const broken = [], range = document.createRange();
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const node = texts.currentNode;
      for (const { 0: word, index } of node.data.matchAll(/\S+/g)) {
        if (word.length > 20 || /[-/?&@…]/.test(word)) continue;
        range.setStart(node, index);
        range.setEnd(node, index + word.length);
        if (new Set([...range.getClientRects()].map((it) => Math.round(it.bottom))).size > 1) {
          broken.push(word);
        }
      }
    }
    return broken;
"""


class Browser(Chrome):
    def __init__(self, folder):
        driver, browser = shutil.which("chromedriver"), shutil.which("chromium")
        assert driver and browser, "chromium and chromium-driver must be installed"
        options = ChromeOptions()
        options.binary_location = browser
        for argument in [*ARGUMENTS, f"--user-data-dir={folder}/user"]:
            options.add_argument(argument)
        # With this path, Selenium does not download a driver.
        log = str(folder / "chromedriver.log")
        super().__init__(options, ChromeService(driver, log_output=log))
        self.set_page_load_timeout(PATIENCE)
        self.set_script_timeout(PATIENCE)

    def look(self, width, scheme):
        """Sets the width of the window and the color scheme."""
        metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        self.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})

    def scripts(self, enabled):
        """Allows scripts or not, from the next page on."""
        self.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": not enabled})

    def all(self, selector):
        return self.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector):
        """Returns the only element of a CSS selector."""
        found = self.all(selector)
        assert len(found) == 1, f"{selector}: {len(found)} at {self.current_url}"
        return found[0]

    def press(self, text, question=None):
        """Presses the button with this text, and waits for the next page."""
        found = [button for button in self.all("button") if button.text == text]
        assert len(found) == 1, f"{text}: {len(found)} buttons at {self.current_url}"
        self.follow(found[0], question)

    def follow(self, element, question=None):
        before = self.one("html")
        element.click()
        if question:
            alert = self.switch_to.alert
            assert question in alert.text, alert.text
            alert.accept()
        WebDriverWait(self, PATIENCE, poll_frequency=0.02).until(lambda _: is_gone(before))

    def fill(self, selector, text):
        field = self.one(selector)
        field.clear()
        field.send_keys(text)

    def keys(self, text):
        """Presses keys on the element that has the focus."""
        self.switch_to.active_element.send_keys(text)

    def excess(self):
        """Returns by how many pixels the page is wider than the window."""
        return self.execute_script("return document.scrollingElement.scrollWidth - innerWidth")

    def broken(self):
        """Returns the short words that a line break divides."""
        return self.execute_script(BROKEN)

    def picture(self, file):
        """Writes a screenshot of the whole page."""
        size = self.execute_cdp_cmd("Page.getLayoutMetrics", {})["cssContentSize"]
        clip = {"x": 0, "y": 0, "scale": 1, "width": size["width"], "height": size["height"]}
        options = {"format": "png", "clip": clip, "captureBeyondViewport": True}
        answer = self.execute_cdp_cmd("Page.captureScreenshot", options)
        file.write_bytes(base64.b64decode(answer["data"]))


def is_gone(element):
    """Returns whether the page of this element was replaced.

    Selenium's `staleness_of` does not expect some errors that chromedriver reports meanwhile.
    """
    try:
        element.tag_name
    except WebDriverException:
        return True
    return False
