"""The e-mail provider's own client understands the stand-in that the end-to-end tests use.

So what those tests are told by it is what the provider would tell them.
"""

import json
import os
import subprocess
from pathlib import Path

import mailerlite
import pytest
import requests


@pytest.fixture(scope="module")
def provider(allow_plain_http):
    """Starts the stand-in, built beside the program under test. Yields its address and keys."""
    beside = Path(os.environ.get("POSTHASTE_BIN", "target/debug/posthaste")).resolve().parent
    program = beside / "examples" / "mailerlite"
    if not program.is_file():
        pytest.exit(f"{program} is missing: cargo build --package end-to-end --examples", 2)
    # It ends when its standard input is closed.
    with subprocess.Popen(
        [program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as running:
        yield json.loads(running.stdout.readline())
        running.stdin.close()
        assert running.wait(timeout=30) == 0


def connect(provider, key):
    client = mailerlite.Client({"api_key": key, "timeout": 30})
    client.api_client.HOST = provider["root"]
    return client


@pytest.fixture
def client(provider):
    """A client of the account that ignores upserts of suppressed people."""
    return connect(provider, provider["old_key"])


@pytest.fixture
def strict(provider):
    """A client of the account that refuses upserts of suppressed people."""
    return connect(provider, provider["new_key"])


def refused(call, *arguments, **named):
    """The answer to a call that must fail."""
    with pytest.raises(requests.HTTPError) as raised:
        call(*arguments, **named)
    return raised.value.response


NOBODY = {"message": "No query results for model [App\\Models\\Subscriber\\Subscriber]."}


def test_a_subscriber_is_created_updated_found_and_deleted(client):
    before = client.subscribers.count()["total"]
    created = client.subscribers.create(
        "Rosa@Garden.Example",
        fields={"name": "Rosa", "last_name": "Dorn", "member_status": "non-member"},
        ip_address="192.0.2.1",
    )["data"]
    assert created["email"] == "rosa@garden.example"
    assert created["status"] == "active"
    assert created["ip_address"] == "192.0.2.1"
    assert created["groups"] == []
    assert created["unsubscribed_at"] is None
    assert created["fields"]["country"] is None
    assert isinstance(created["id"], str)
    number = int(created["id"])

    updated = client.subscribers.update(
        "rosa@garden.example",
        fields={"name": None, "country": "Austria", "membership_expire_at": "2027-01-09"},
    )["data"]
    assert updated["id"] == created["id"]
    assert updated["created_at"] == created["created_at"]
    fields = {"name": None, "last_name": "Dorn", "country": "Austria"}
    fields |= {"member_status": "non-member", "membership_expire_at": "2027-01-09"}
    assert updated["fields"].items() >= fields.items()

    assert client.subscribers.get(number)["data"] == updated
    assert client.subscribers.get("rosa@garden.example")["data"] == updated
    assert client.subscribers.count() == {"total": before + 1}
    listed = client.subscribers.list(limit=100, filter={"status": "active"})
    assert created["id"] in [one["id"] for one in listed["data"]]
    assert listed["meta"]["per_page"] == 100

    assert client.subscribers.delete(number) is True
    for call in (client.subscribers.get, client.subscribers.delete):
        answer = refused(call, number)
        assert (answer.status_code, answer.json()) == (404, NOBODY)
    assert client.subscribers.create("rosa@garden.example")["data"]["id"] == created["id"]
    assert client.subscribers.forget(number) is True
    assert client.subscribers.count() == {"total": before}


def test_everybody_is_listed_once_page_by_page(strict):
    numbers = []
    for nth in range(5):
        status = "unconfirmed" if nth == 3 else "active"
        created = strict.subscribers.create(f"{nth}@pages.example", status=status)["data"]
        numbers.append(created["id"])

    def pages(**named):
        cursor = {}
        while True:
            page = strict.subscribers.list(limit=2, **cursor, **named)
            assert page["meta"]["per_page"] == 2
            for way in ("next", "prev"):
                link, cursor = page["links"][way], page["meta"][f"{way}_cursor"]
                assert (link is None) == (cursor is None)
                assert link is None or link.endswith(f"/subscribers?cursor={cursor}")
            yield page
            if page["meta"]["next_cursor"] is None:
                return
            cursor = {"cursor": page["meta"]["next_cursor"]}

    def seen(**named):
        return [one["id"] for page in pages(**named) for one in page["data"]]

    assert seen() == numbers
    assert seen(filter={"status": "unconfirmed"}) == [numbers[3]]
    assert seen(filter={"status": "junk"}) == []
    assert refused(strict.subscribers.list, filter={"status": "happy"}).status_code == 422

    walk = pages()
    first = next(walk)
    assert first["meta"]["prev_cursor"] is None
    # A removal does not shift the next page.
    assert strict.subscribers.delete(int(numbers[0])) is True
    second = next(walk)
    assert [one["id"] for one in second["data"]] == numbers[2:4]
    back = strict.subscribers.list(limit=2, cursor=second["meta"]["prev_cursor"])
    assert [one["id"] for one in back["data"]] == [numbers[1], numbers[2]]

    for number in numbers[1:]:
        assert strict.subscribers.forget(int(number)) is True
    assert seen() == []
    answer = refused(strict.subscribers.forget, int(numbers[1]))
    assert (answer.status_code, answer.json()) == (404, NOBODY)


def test_groups_are_joined_and_left(client):
    group = client.groups.create("Gardeners")["data"]
    assert group["name"] == "Gardeners"
    assert group["active_count"] == 0
    assert group["open_rate"] == {"float": 0, "string": "0%"}
    number = int(group["id"])

    joined = client.subscribers.create("join@garden.example", groups=[group["id"]])["data"]
    assert [one["id"] for one in joined["groups"]] == [group["id"]]
    other = client.subscribers.create("assign@garden.example")["data"]
    assigned = client.subscribers.assign_subscriber_to_group(int(other["id"]), number)["data"]
    assert assigned["id"] == group["id"]

    def members():
        listed = client.groups.get_group_subscribers(number, limit=5, cursor=1)
        assert listed["meta"].keys() == {"path", "per_page", "next_cursor", "prev_cursor"}
        assert listed["links"].keys() == {"first", "last", "prev", "next"}
        return [one["id"] for one in listed["data"]]

    assert members() == [joined["id"], other["id"]]
    assert client.subscribers.unassign_subscriber_from_group(int(other["id"]), number) is True
    assert members() == [joined["id"]]
    assert client.subscribers.get(int(other["id"]))["data"]["groups"] == []
    answer = refused(client.subscribers.assign_subscriber_to_group, 1, number)
    assert (answer.status_code, answer.json()) == (404, NOBODY)

    assert client.groups.update(number, "Tree surgeons")["data"]["name"] == "Tree surgeons"
    names = [one["name"] for one in client.groups.list(limit=10, page=1)["data"]]
    assert names == ["Welcome", "Tree surgeons"]
    assert client.groups.delete(number) is True
    answer = refused(client.groups.delete, number)
    assert answer.status_code == 404
    text = f"No query results for model [App\\Models\\Group\\Group] {number}"
    assert answer.json() == {"message": text}


def test_fields_webhooks_and_batches(client):
    field = client.fields.create("Shoe size", "number")["data"]
    assert field.keys() == {"id", "name", "key", "type", "is_default"}
    listed = client.fields.list(limit=100, page=1, sort="name")
    assert "shoe_size" in [one["key"] for one in listed["data"]]
    assert listed["meta"]["total"] == len(listed["data"])
    assert client.fields.update(int(field["id"]), "Size")["data"]["name"] == "Size"
    assert client.fields.delete(int(field["id"])) is True

    events = ["subscriber.created", "subscriber.unsubscribed"]
    webhook = client.webhooks.create(events, "https://hook.example", "Hook")["data"]
    assert webhook["events"] == events
    assert client.webhooks.get(int(webhook["id"]))["data"] == webhook
    listed = client.webhooks.list()
    assert listed["data"] == [webhook]
    assert listed["meta"]["total"] == 1
    paused = client.webhooks.update(int(webhook["id"]), enabled=False)["data"]
    assert (paused["enabled"], paused["url"]) == (False, webhook["url"])
    assert client.webhooks.delete(int(webhook["id"])) is True

    parts = [
        {"method": "GET", "path": "api/subscribers/list"},
        {"method": "GET", "path": "api/campaigns/list"},
        {"method": "GET", "path": "api/groups"},
    ]
    answer = client.batches.request(parts)
    assert (answer["total"], answer["successful"], answer["failed"]) == (3, 1, 2)
    missing = {"message": "The route api/campaigns/list could not be found."}
    assert answer["responses"][:2] == [
        {"code": 404, "body": NOBODY},
        {"code": 404, "body": missing},
    ]


def test_whoever_wants_no_mail_stays_that_way(client, strict):
    for account in (client, strict):
        created = account.subscribers.create("no@garden.example", status="unsubscribed")["data"]
        assert created["status"] == "unsubscribed"
        assert created["unsubscribed_at"]

    kept = client.subscribers.update("no@garden.example", fields={"name": "No"})["data"]
    assert kept["status"] == "unsubscribed"
    assert kept["fields"]["name"] == "No"

    answer = refused(strict.subscribers.update, "no@garden.example", fields={"name": "No"})
    assert answer.status_code == 422
    text = "This subscriber is unsubscribed and cannot be imported"
    assert answer.json() == {
        "message": "The given data was invalid.",
        "errors": {"email": [text]},
        "subscriber": created["id"],
    }


def test_errors_are_those_of_the_provider(provider, client):
    answer = refused(connect(provider, "wrong").subscribers.list)
    assert (answer.status_code, answer.json()) == (401, {"message": "Unauthenticated."})

    answer = refused(client.subscribers.create, "a@garden.example", status="happy")
    assert answer.status_code == 422
    assert answer.json()["message"] == "The given data was invalid."
    assert answer.json()["errors"].keys() == {"status"}


def test_an_account_takes_120_requests_a_minute(strict):
    """Runs last, because no other request is accepted for a minute afterwards."""
    for _ in range(121):
        try:
            strict.subscribers.count()
        except requests.HTTPError as error:
            answer = error.response
            break
    else:
        pytest.fail("there is no limit")
    assert (answer.status_code, answer.json()) == (429, {"message": "Too Many Attempts."})
    assert answer.headers["X-RateLimit-Limit"] == "120"
    assert answer.headers["X-RateLimit-Remaining"] == "0"
    assert 1 <= int(answer.headers["Retry-After"]) <= 60
