"""A program with a client that is generated from the OpenAPI document, and checked by types.

It gets the URL of the service and a client's credentials. It asks for the result of a push, pushes
a posting, reads it, and imports a line, alone and as a catalogue.
"""

import base64
import io
import json
import sys
import uuid

from posthaste_client import AuthenticatedClient
from posthaste_client.api.imports import import_catalogue, import_job_postings
from posthaste_client.api.job_postings import get_job_posting, put_job_posting
from posthaste_client.api.o_auth import create_token
from posthaste_client.models.company_payload import CompanyPayload
from posthaste_client.models.employment_type import EmploymentType
from posthaste_client.models.import_job_postings_receipts import ImportJobPostingsReceipts
from posthaste_client.models.import_receipt import ImportReceipt
from posthaste_client.models.import_summary_line import ImportSummaryLine
from posthaste_client.models.job_posting import JobPosting
from posthaste_client.models.posting_answer import PostingAnswer
from posthaste_client.models.posting_payload import PostingPayload
from posthaste_client.models.posting_with_history import PostingWithHistory
from posthaste_client.models.put_answer import PutAnswer
from posthaste_client.models.salary_period import SalaryPeriod
from posthaste_client.models.status import Status
from posthaste_client.models.token_answer import TokenAnswer
from posthaste_client.models.token_request import TokenRequest
from posthaste_client.models.token_request_grant_type import TokenRequestGrantType
from posthaste_client.models.validation_error import ValidationError
from posthaste_client.types import File, Unset


def authorized(url: str, client_id: str, client_secret: str) -> AuthenticatedClient:
    credentials = base64.b64encode(f"{client_id}:{client_secret}".encode()).decode()
    basic = AuthenticatedClient(url, credentials, prefix="Basic")
    request = TokenRequest(TokenRequestGrantType.CLIENT_CREDENTIALS)
    answer = create_token.sync(client=basic, body=request)
    assert isinstance(answer, TokenAnswer), answer
    return AuthenticatedClient(url, answer.access_token)


def push(client: AuthenticatedClient, identifier: str, posting: PostingPayload) -> uuid.UUID:
    """Pushes a posting, and returns its id."""
    answer = put_job_posting.sync(identifier, client=client, body=posting)
    assert isinstance(answer, PutAnswer), answer
    assert answer.data.uuid is not None
    return answer.data.uuid


def dry_run(
    client: AuthenticatedClient, identifier: str, posting: PostingPayload
) -> uuid.UUID | None:
    """Returns the id from a dry run that refuses unknown fields, if there is one."""
    answer = put_job_posting.sync(
        identifier, client=client, body=posting, dry_run=True, prefer="handling=strict"
    )
    assert isinstance(answer, PutAnswer), answer
    return answer.data.uuid


def refusals(
    client: AuthenticatedClient, identifier: str, posting: PostingPayload
) -> dict[str, list[str]]:
    """Pushes a posting that is refused, and returns the errors of its fields."""
    answer = put_job_posting.sync(identifier, client=client, body=posting)
    assert isinstance(answer, ValidationError), answer
    assert not isinstance(answer.errors, Unset), answer
    return answer.errors.additional_properties


def read(client: AuthenticatedClient, identifier: str) -> PostingWithHistory:
    answer = get_job_posting.sync(identifier, client=client)
    assert isinstance(answer, PostingAnswer), answer
    return answer.data


def import_line(
    client: AuthenticatedClient, identifier: str
) -> tuple[ImportReceipt, ImportSummaryLine]:
    """Imports a line that changes nothing. Returns its receipt and the summary."""
    answer = import_job_postings.sync(
        client=client, body=lines(identifier), receipts=ImportJobPostingsReceipts.ALL
    )
    assert isinstance(answer, File), answer
    receipt, summary = map(json.loads, answer.payload.read().splitlines())
    return ImportReceipt.from_dict(receipt), ImportSummaryLine.from_dict(summary)


def import_all(client: AuthenticatedClient, identifier: str) -> ImportSummaryLine:
    """Imports the same line as a catalogue. Returns the summary: no line is refused."""
    answer = import_catalogue.sync("generated", client=client, body=lines(identifier))
    assert isinstance(answer, File), answer
    return ImportSummaryLine.from_dict(json.loads(answer.payload.read()))


def lines(identifier: str) -> File:
    line = json.dumps({"id": identifier, "payload": {}})
    return File(io.BytesIO(f"{line}\n".encode()))


def location(posting: JobPosting) -> str | Unset:
    place = posting.job_location
    if isinstance(place, list):
        place = place[0]
    return place if isinstance(place, Unset) else place.address.address_locality


def main() -> None:
    client = authorized(*sys.argv[1:])
    identifier = f"generated-{uuid.uuid4()}"
    payload = PostingPayload(
        title="Gardener",
        raw_description="<p>We are looking for a gardener who knows roses and hedges.</p>",
        application_url="https://apply.example/gardener",
        employment_types=[EmploymentType.FULL_TIME],
        salary_min=30_000,
        salary_currency_code="EUR",
        salary_period=SalaryPeriod.ANNUALLY,
        company=CompanyPayload(name="Rosenhof", website_url="https://rosenhof.example"),
    )
    assert dry_run(client, identifier, payload) is None
    first = push(client, identifier, payload)
    assert dry_run(client, identifier, PostingPayload(title="Other")) == first
    assert push(client, identifier, PostingPayload(location_city=None)) == first
    posting = read(client, identifier)
    assert posting.uuid == first
    assert posting.unique_source_identifier == identifier
    assert posting.employment_types == [EmploymentType.FULL_TIME]
    assert posting.salary_min == 30_000
    assert posting.location_city is None
    assert posting.company.name == "Rosenhof"
    assert posting.created_at.tzinfo is not None
    assert posting.history[0].status is Status.PENDINGENRICHMENT
    assert list(refusals(client, identifier, PostingPayload(title=" "))) == ["title"]
    receipt, summary = import_line(client, identifier)
    assert (receipt.line, receipt.id, receipt.uuid) == (1, identifier, first)
    assert summary.summary.unchanged == 1
    assert import_all(client, identifier).summary.complete


main()
