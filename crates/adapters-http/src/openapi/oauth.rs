//! The operations around tokens.

use domain::client::Scope;
use serde_json::json;
use utoipa::openapi::{
    ArrayBuilder, ContentBuilder, HttpMethod, ObjectBuilder, PathItem, RefOr, Required, Schema,
    Type, path::OperationBuilder, request_body::RequestBodyBuilder, security::SecurityRequirement,
};

use super::{
    errors::{INTERNAL, with_errors},
    response::{header_ref, json_response, ok},
    security::BASIC,
};
use crate::oauth::{JWKS_PATH, METADATA_PATH, TOKEN_PATH};
use crate::schema::{Named, filled_string, format, object, one_of, reference, string, with_all};

/// The tag of these operations.
pub const TAG: &str = "OAuth";

const FORM: &str = "application/x-www-form-urlencoded";

/// The paths with their operations.
pub fn paths() -> Vec<(String, PathItem)> {
    vec![
        (
            TOKEN_PATH.to_owned(),
            PathItem::new(HttpMethod::Post, token()),
        ),
        (
            JWKS_PATH.to_owned(),
            get(
                "getJwks",
                "The keys that verify tokens",
                "Tokens are JWTs by RFC 9068, signed with ES256.",
                "JwkSet",
            ),
        ),
        (
            METADATA_PATH.to_owned(),
            get(
                "getAuthorizationServerMetadata",
                "Where everything is",
                "The metadata of RFC 8414.",
                "AuthorizationServer",
            ),
        ),
    ]
}

fn get(id: &str, summary: &str, description: &str, schema: &str) -> PathItem {
    let operation = OperationBuilder::new()
        .tag(TAG)
        .operation_id(Some(id))
        .summary(Some(summary))
        .description(Some(description))
        .response("200", ok(description, schema));
    PathItem::new(HttpMethod::Get, with_errors(operation, &[&INTERNAL]))
}

fn token() -> OperationBuilder {
    let content = ContentBuilder::new()
        .schema(Some(reference("TokenRequest")))
        .example(Some(json!({
            "grant_type": "client_credentials",
            "client_id": "0190a1b2-0000-7000-8000-000000000000",
            "client_secret": "YOUR_CLIENT_SECRET",
            "scope": Scope::JobPostingsWrite.as_str(),
        })))
        .build();
    let body = RequestBodyBuilder::new()
        .required(Some(Required::True))
        .content(FORM, content);
    let refused = |description: &str| {
        json_response(description, "TokenError")
            .header_ref("Cache-Control", header_ref("Cache-Control"))
    };
    let operation = OperationBuilder::new()
        .tag(TAG)
        .operation_id(Some("createToken"))
        .summary(Some("Get an access token"))
        .description(Some(
            "The client-credentials grant of RFC 6749 §4.4. The client authenticates by HTTP \
             Basic, or by `client_id` and `client_secret` in the form. Without `scope` the token \
             gets all scopes of the client.",
        ))
        // In the form, or by HTTP Basic.
        .securities(Some([
            SecurityRequirement::default(),
            SecurityRequirement::new(BASIC, [""; 0]),
        ]))
        .request_body(Some(body.build()))
        .response(
            "200",
            json_response("A token.", "TokenAnswer")
                .header_ref("Cache-Control", header_ref("Cache-Control"))
                .build(),
        )
        .response(
            "400",
            refused(
                "`invalid_request`, `unsupported_grant_type` or `invalid_scope` (RFC 6749 §5.2).",
            )
            .build(),
        )
        .response(
            "401",
            refused("`invalid_client`: the client is unknown or revoked, or the secret is wrong.")
                .header_ref("WWW-Authenticate", header_ref("WWW-Authenticate"))
                .build(),
        )
        .response("413", refused("The form is too large.").build())
        .response("415", refused("The form is compressed.").build())
        .response(
            "503",
            refused("`temporarily_unavailable`: the client cannot be checked at the moment.")
                .header_ref("Retry-After", header_ref("Retry-After"))
                .build(),
        );
    with_errors(operation, &[&INTERNAL])
}

/// The schemas of requests and answers.
pub fn schemas() -> Vec<Named> {
    vec![
        ("TokenRequest", token_request().into()),
        ("TokenAnswer", token_answer().into()),
        ("TokenError", token_error().into()),
        ("JwkSet", jwk_set().into()),
        ("AuthorizationServer", authorization_server().into()),
    ]
}

fn token_request() -> ObjectBuilder {
    object("A request for a token. A parameter may be sent once.")
        .property("grant_type", one_of("The grant.", &["client_credentials"]))
        .required("grant_type")
        .property(
            "client_id",
            string("The client's id, unless it is in the header."),
        )
        .property(
            "client_secret",
            string("The client's secret, unless it is in the header.")
                .format(Some(format("password"))),
        )
        .property(
            "scope",
            string("Scopes of the client, separated by spaces."),
        )
}

fn token_answer() -> ObjectBuilder {
    let expires_in = ObjectBuilder::new()
        .schema_type(Type::Integer)
        .minimum(Some(1))
        .description(Some("For how many seconds the token is good."));
    with_all(
        object("An access token."),
        [
            ("access_token", filled_string("The token, a JWT.")),
            ("token_type", one_of("How to send it.", &["Bearer"])),
            ("expires_in", expires_in),
            ("scope", string("What it is good for, separated by spaces.")),
        ],
    )
}

fn token_error() -> ObjectBuilder {
    with_all(
        object("An error of RFC 6749 §5.2."),
        [
            (
                "error",
                one_of(
                    "What is wrong, for programs.",
                    &[
                        "invalid_request",
                        "invalid_client",
                        "unsupported_grant_type",
                        "invalid_scope",
                        "temporarily_unavailable",
                        "server_error",
                    ],
                ),
            ),
            ("error_description", string("What is wrong, for people.")),
            (
                "message",
                string("The same words, as all errors have them."),
            ),
        ],
    )
}

fn jwk_set() -> ObjectBuilder {
    let key = with_all(
        object("A public key (RFC 7517)."),
        [
            ("kty", one_of("Its type.", &["EC"])),
            ("crv", one_of("Its curve.", &["P-256"])),
            ("x", string("Its x coordinate, base64url.")),
            ("y", string("Its y coordinate, base64url.")),
            ("kid", string("Its id, as in the header of a token.")),
            ("alg", one_of("Its algorithm.", &["ES256"])),
            ("use", one_of("What it is for.", &["sig"])),
        ],
    );
    with_all(
        object("All keys that verify."),
        [("keys", ArrayBuilder::new().items(key))],
    )
}

fn authorization_server() -> ObjectBuilder {
    let address = |description: &str| -> RefOr<Schema> {
        string(description).format(Some(format("uri"))).into()
    };
    let names = |description: &str| -> RefOr<Schema> {
        ArrayBuilder::new()
            .items(ObjectBuilder::new().schema_type(Type::String))
            .description(Some(description))
            .into()
    };
    with_all(
        object("The metadata of RFC 8414."),
        [
            ("issuer", address("The issuer of the tokens.")),
            ("token_endpoint", address("Where tokens are.")),
            ("jwks_uri", address("Where the keys are.")),
            ("grant_types_supported", names("The grants.")),
            (
                "response_types_supported",
                names("None: there is no authorization endpoint."),
            ),
            ("scopes_supported", names("The scopes.")),
            (
                "token_endpoint_auth_methods_supported",
                names("How clients authenticate."),
            ),
        ],
    )
}
