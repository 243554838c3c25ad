"""Third-party verifiers accept the tokens, the key set and the metadata."""

import jwt
import pytest
import requests
from authlib.oauth2.rfc8414 import AuthorizationServerMetadata, get_well_known_url
from joserfc import jwk as joserfc_jwk
from joserfc import jwt as joserfc_jwt


@pytest.fixture(scope="module")
def metadata(service):
    """The metadata of RFC 8414, at the path that the RFC defines."""
    url = get_well_known_url(service.url, external=True)
    answer = requests.get(url, timeout=60)
    assert answer.status_code == 200
    return answer.json()


def test_the_metadata_is_valid(service, metadata):
    class Metadata(AuthorizationServerMetadata):
        """Authlib's checks without the one for TLS, which a proxy adds."""

        def validate_issuer(self):
            assert self["issuer"] == service.url

        def validate_token_endpoint(self):
            assert self["token_endpoint"] == service.token_url

        def validate_jwks_uri(self):
            assert self["jwks_uri"].startswith(service.url)

        def validate_response_types_supported(self):
            # Required but empty, because there is no authorization endpoint.
            assert self["response_types_supported"] == []

    parsed = Metadata(metadata)
    parsed.validate()
    assert "client_credentials" in parsed["grant_types_supported"]


def test_pyjwt_verifies_a_token(service, metadata):
    token = service.token()
    key = jwt.PyJWKClient(metadata["jwks_uri"]).get_signing_key_from_jwt(token)
    claims = jwt.decode(
        token,
        key,
        algorithms=["ES256"],
        audience=service.url,
        issuer=metadata["issuer"],
        options={"require": ["iss", "aud", "sub", "iat", "exp", "jti"]},
    )
    assert claims["client_id"] == claims["sub"] == service.client_id
    assert jwt.get_unverified_header(token)["typ"] == "at+jwt"


def test_joserfc_verifies_a_token(service, metadata):
    keys = joserfc_jwk.KeySet.import_key_set(requests.get(metadata["jwks_uri"], timeout=60).json())
    token = joserfc_jwt.decode(service.token(), keys, algorithms=["ES256"])
    registry = joserfc_jwt.JWTClaimsRegistry(
        iss={"essential": True, "value": metadata["issuer"]},
        aud={"essential": True, "value": service.url},
    )
    registry.validate(token.claims)


def test_another_key_set_does_not_verify_it(service):
    other = joserfc_jwk.KeySet([joserfc_jwk.ECKey.generate_key("P-256")])
    with pytest.raises(Exception):
        joserfc_jwt.decode(service.token(), other, algorithms=["ES256"])
