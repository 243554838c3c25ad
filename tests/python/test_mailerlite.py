"""The e-mail provider's own client understands the stand-in that the end-to-end tests use.

So the stand-in answers those tests as the provider would.
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
    # The stand-in ends when its standard input is closed.
    with subprocess.Popen(
        [program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as running:
        yield json.loads(running.stdout.readline())
        running.stdin.close()
        assert running.wait(timeout=60) == 0


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
    with pytest.raises(requests.HTTPError) as raised:
        call(*arguments, **named)
    return raised.value.response


NOBODY = {"message": "No query results for model [App\\Models\\Subscriber\\Subscriber]."}


def test_a_subscriber_is_created_updated_found_and_deleted(client):
    before = client.subscribers.count()["total"]
    created = client.subscribers.create(
        "Rosa@Garden.Example",
        fields={"name": "Rosa", "last_name": "Dorn", "member_status": "non-member"},
    )["data"]
    assert created["email"] == "rosa@garden.example"
    assert created["status"] == "active"
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
    listed = client.subscribers.list(limit=100)
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
    created = [strict.subscribers.create(f"{nth}@pages.example") for nth in range(5)]
    numbers = [one["data"]["id"] for one in created]

    def pages():
        cursor = {}
        while True:
            page = strict.subscribers.list(limit=2, **cursor)
            assert page["meta"]["per_page"] == 2
            link, next_cursor = page["links"]["next"], page["meta"]["next_cursor"]
            assert (link is None) == (next_cursor is None)
            assert link is None or link.endswith(f"/subscribers?cursor={next_cursor}")
            yield [one["id"] for one in page["data"]]
            if next_cursor is None:
                return
            cursor = {"cursor": next_cursor}

    walk = pages()
    assert next(walk) == numbers[:2]
    # A removal does not shift the next page.
    assert strict.subscribers.delete(int(numbers[0])) is True
    assert list(walk) == [numbers[2:4], numbers[4:]]

    for number in numbers[1:]:
        assert strict.subscribers.forget(int(number)) is True
    assert list(pages()) == [[]]
    answer = refused(strict.subscribers.forget, int(numbers[1]))
    assert (answer.status_code, answer.json()) == (404, NOBODY)


def test_what_an_account_is_set_up_like_is_listed(client):
    [group] = client.groups.list(limit=10, page=1)["data"]
    joined = client.subscribers.create("join@garden.example", groups=[group["id"]])["data"]
    assert joined["groups"] == [group]
    number = int(joined["id"])
    left = client.subscribers.unassign_subscriber_from_group(number, int(group["id"]))
    assert left is True
    assert client.subscribers.get(number)["data"]["groups"] == []
    assert client.subscribers.forget(number) is True

    listed = client.fields.list(limit=100, page=1)
    assert {"key": "membership_expire_at", "type": "date"} in listed["data"]
    assert listed["meta"]["total"] == len(listed["data"])
    assert client.webhooks.list()["data"] == []


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
