"""A Scrapy pipeline that sends a spider's items to Posthaste, in one request at the end.

An item is a dict (or anything else that Scrapy takes) with `id` and the fields of a posting. In
the project's settings:

    ITEM_PIPELINES = {"posthaste_scrapy.PosthastePipeline": 800}
    POSTHASTE_URL = "http://127.0.0.1:8080"
    POSTHASTE_CLIENT_ID = "..."
    POSTHASTE_CLIENT_SECRET = "..."
    POSTHASTE_CATALOGUE = "nightly"  # by default the spider's name

A crawl without errors is sent as a catalogue: postings that it did not yield expire. Any other
crawl is sent as an import, which expires nothing.
"""

import json
import logging
import tempfile
from urllib.error import HTTPError
from urllib.parse import quote, urlencode
from urllib.request import Request, urlopen

from itemadapter import ItemAdapter
from scrapy import signals
from scrapy.exceptions import DropItem

# Scrapy's counts of missing pages or items.
TROUBLE = ("spider_exceptions", "retry/max_reached", "httperror/response_ignored_count",
           "item_dropped_count", "log_count/ERROR", "log_count/CRITICAL")
log = logging.getLogger(__name__)


class PosthastePipeline:
    def __init__(self, crawler):
        self.crawler, self.lines = crawler, 0
        self.file = tempfile.TemporaryFile()
        # A pipeline's own `close_spider` does not get the reason for closing.
        crawler.signals.connect(self.spider_closed, signals.spider_closed)

    from_crawler = classmethod(lambda cls, crawler: cls(crawler))

    def process_item(self, item, spider=None):
        payload = ItemAdapter(item).asdict()
        line = {"id": payload.pop("id", None), "payload": payload}
        if not line["id"]:
            raise DropItem("an item for Posthaste has no id")
        self.file.write(json.dumps(line, default=str).encode() + b"\n")
        self.lines += 1
        return item

    def spider_closed(self, spider, reason):
        stats = self.crawler.stats.get_stats()
        trouble = [f"{key}={value}" for key, value in stats.items() if key.startswith(TROUBLE)]
        if reason == "finished" and not trouble:
            self.file.write(json.dumps({"end": {"lines": self.lines}}).encode() + b"\n")
            name = self.crawler.settings.get("POSTHASTE_CATALOGUE", spider.name)
            self.send("PUT", f"api/job-board/catalogues/{quote(name)}?require_end=true")
        else:
            log.warning("The crawl is not complete (%s), so nothing expires.", trouble or reason)
            self.send("POST", "api/job-board/imports")

    def send(self, method, path):
        setting = self.crawler.settings
        form = {"grant_type": "client_credentials", "client_id": setting["POSTHASTE_CLIENT_ID"],
                "client_secret": setting["POSTHASTE_CLIENT_SECRET"], "scope": "job-postings:write"}
        headers = {"Content-Type": "application/x-ndjson", "Prefer": "handling=lenient",
                   "Content-Length": str(self.file.tell())}
        self.file.seek(0)
        url = setting["POSTHASTE_URL"].rstrip("/")
        try:
            with urlopen(f"{url}/oauth/token", urlencode(form).encode(), timeout=60) as answer:
                headers["Authorization"] = "Bearer " + json.load(answer)["access_token"]
            request = Request(f"{url}/{path}", self.file, headers, method=method)
            with urlopen(request, timeout=600) as answer:
                for line in map(json.loads, answer):
                    log.log(logging.INFO if "summary" in line else logging.WARNING, "%s", line)
        except HTTPError as error:
            raise RuntimeError(f"Posthaste: {error.code} {error.read().decode()}") from error
