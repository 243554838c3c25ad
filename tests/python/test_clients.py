"""Third-party OAuth clients get a token and push a posting with it."""

import uuid

import pytest
from authlib.integrations.requests_client import OAuth2Session as AuthlibSession
from oauthlib.oauth2 import BackendApplicationClient
from requests.auth import HTTPBasicAuth
from requests_oauthlib import OAuth2Session as RequestsOAuthlibSession

SCOPE = "job-postings:write"


def requests_oauthlib(service, method):
    """A session of requests-oauthlib with a token."""
    session = RequestsOAuthlibSession(
        client=BackendApplicationClient(client_id=service.client_id, scope=[SCOPE])
    )
    if method == "client_secret_basic":
        credentials = {"auth": HTTPBasicAuth(service.client_id, service.client_secret)}
    else:
        credentials = {"client_secret": service.client_secret, "include_client_id": True}
    session.fetch_token(service.token_url, **credentials)
    return session


def requests_oauthlib_with_id(service, method):
    """A session that sends HTTP Basic, and also the client's id in the body."""
    session = RequestsOAuthlibSession(
        client=BackendApplicationClient(client_id=service.client_id, scope=[SCOPE])
    )
    session.fetch_token(
        service.token_url,
        auth=HTTPBasicAuth(service.client_id, service.client_secret),
        include_client_id=True,
    )
    return session


def authlib(service, method):
    session = AuthlibSession(
        service.client_id,
        service.client_secret,
        scope=SCOPE,
        token_endpoint_auth_method=method,
    )
    session.fetch_token(service.token_url, grant_type="client_credentials")
    return session


@pytest.mark.parametrize(
    ("client", "method"),
    [
        (requests_oauthlib, "client_secret_basic"),
        (requests_oauthlib, "client_secret_post"),
        (requests_oauthlib_with_id, "client_secret_basic"),
        (authlib, "client_secret_basic"),
        (authlib, "client_secret_post"),
    ],
)
def test_a_client_gets_a_token_and_pushes_with_it(service, posting, client, method):
    session = client(service, method)
    assert session.token["scope"] in (SCOPE, [SCOPE])
    assert session.token["expires_in"] == 3600

    url = f"{service.url}/api/job-board/job-postings/{uuid.uuid4()}"
    created = session.put(url, json=posting)
    assert created.status_code == 201, created.text
    again = session.put(url, json=posting)
    assert again.status_code == 200, again.text
    assert again.json() == created.json()
    assert session.get(url).json()["data"]["uuid"] == created.json()["data"]["uuid"]


@pytest.mark.parametrize("method", ["client_secret_basic", "client_secret_post"])
def test_a_wrong_secret_is_an_error_that_the_client_understands(service, method):
    from authlib.integrations.base_client import OAuthError

    session = AuthlibSession(service.client_id, "wrong", token_endpoint_auth_method=method)
    with pytest.raises(OAuthError) as raised:
        session.fetch_token(service.token_url, grant_type="client_credentials")
    assert raised.value.error == "invalid_client"


def test_a_scope_of_others_is_an_error_that_the_client_understands(service):
    from oauthlib.oauth2.rfc6749.errors import InvalidScopeError

    session = RequestsOAuthlibSession(
        client=BackendApplicationClient(client_id=service.client_id, scope=["unheard"])
    )
    with pytest.raises(InvalidScopeError):
        session.fetch_token(
            service.token_url, auth=HTTPBasicAuth(service.client_id, service.client_secret)
        )
