//! The errors that several operations answer.

use utoipa::openapi::{
    ArrayBuilder, Ref, Response, path::OperationBuilder, schema::AdditionalProperties,
};

use super::response::{header_ref, json_response};
use crate::schema::{Named, object, string, with_all};

/// An error that several operations answer: its status, its component, what it means.
pub struct SharedError {
    pub status: &'static str,
    name: &'static str,
    description: &'static str,
    schema: &'static str,
    headers: &'static [&'static str],
}

impl SharedError {
    const fn new(status: &'static str, name: &'static str, description: &'static str) -> Self {
        Self {
            status,
            name,
            description,
            schema: "Error",
            headers: &[],
        }
    }

    const fn with_headers(self, headers: &'static [&'static str]) -> Self {
        Self { headers, ..self }
    }

    const fn with_schema(self, schema: &'static str) -> Self {
        Self { schema, ..self }
    }

    pub fn reference(&self) -> Ref {
        Ref::from_response_name(self.name)
    }
}

pub const BAD_REQUEST: SharedError = SharedError::new(
    "400",
    "BadRequest",
    "The body is empty, not JSON, or did not arrive as announced; the path has a percent sign that \
     begins no escape; or there are two `Authorization` headers.",
);
pub const UNAUTHORIZED: SharedError = SharedError::new(
    "401",
    "Unauthorized",
    "There is no token, or it is malformed, expired, revoked or not from here.",
)
.with_headers(&["WWW-Authenticate"]);
pub const FORBIDDEN: SharedError = SharedError::new(
    "403",
    "Forbidden",
    "The token has none of the scopes that it takes.",
)
.with_headers(&["WWW-Authenticate"]);
pub const NOT_FOUND: SharedError = SharedError::new(
    "404",
    "PostingNotFound",
    "There is no posting with this identifier.",
);
pub const SUBSCRIBER_NOT_FOUND: SharedError = SharedError::new(
    "404",
    "SubscriberNotFound",
    "Nobody with this address has been reported.",
);
pub const BAD_SIGNATURE: SharedError = SharedError::new(
    "401",
    "BadSignature",
    "There is no signature, or it is malformed, or not of this body and with the secret.",
)
.with_headers(&["WWW-Authenticate"]);
pub const TIMEOUT: SharedError =
    SharedError::new("408", "RequestTimeout", "The body did not arrive in time.");
pub const TOO_LARGE: SharedError = SharedError::new(
    "413",
    "PayloadTooLarge",
    "The body is larger than the service takes.",
);
pub const UNSUPPORTED: SharedError = SharedError::new(
    "415",
    "UnsupportedMediaType",
    "The body is not declared as uncompressed `application/json`.",
);
pub const INVALID: SharedError = SharedError::new(
    "422",
    "Invalid",
    "Something is wrong with the parameters, with fields, or with what they would make of what \
     is stored. Nothing was changed.",
)
.with_schema("ValidationError");
pub const INTERNAL: SharedError = SharedError::new(
    "500",
    "InternalError",
    "Something went wrong inside the service.",
)
.with_schema("InternalError");
pub const UNAVAILABLE: SharedError = SharedError::new(
    "503",
    "Unavailable",
    "The service cannot answer at the moment. Try again after `Retry-After`; repeating is safe.",
)
.with_headers(&["Retry-After"]);

const SHARED: [&SharedError; 12] = [
    &BAD_REQUEST,
    &UNAUTHORIZED,
    &FORBIDDEN,
    &NOT_FOUND,
    &SUBSCRIBER_NOT_FOUND,
    &BAD_SIGNATURE,
    &TIMEOUT,
    &TOO_LARGE,
    &UNSUPPORTED,
    &INVALID,
    &INTERNAL,
    &UNAVAILABLE,
];

/// The errors as components.
pub fn responses() -> Vec<(&'static str, Response)> {
    let response = |error: &SharedError| {
        let plain = json_response(error.description, error.schema);
        let headers = error.headers.iter();
        headers
            .fold(plain, |response, name| {
                response.header_ref(*name, header_ref(name))
            })
            .build()
    };
    SHARED
        .into_iter()
        .map(|error| (error.name, response(error)))
        .collect()
}

/// Adds shared errors to an operation's answers.
pub fn with_errors(operation: OperationBuilder, errors: &[&SharedError]) -> OperationBuilder {
    errors.iter().fold(operation, |operation, error| {
        operation.response(error.status, error.reference())
    })
}

/// What their bodies look like.
pub fn schemas() -> Vec<Named> {
    let message = || string("What is wrong, for people.");
    let errors = object("What is wrong with each field, by its path.").additional_properties(Some(
        AdditionalProperties::RefOr(
            ArrayBuilder::new()
                .items(string("Completes a sentence that starts with the field."))
                .min_items(Some(1))
                .into(),
        ),
    ));
    vec![
        (
            "Error",
            with_all(object("An error."), [("message", message())]).into(),
        ),
        (
            "ValidationError",
            with_all(
                object("A refusal; `errors` is there when single fields are to blame."),
                [("message", message())],
            )
            .property("errors", errors)
            .into(),
        ),
        (
            "InternalError",
            with_all(
                object("A failure of the service."),
                [
                    ("message", message()),
                    (
                        "request_id",
                        string("The request's id, as in `X-Request-Id`."),
                    ),
                ],
            )
            .into(),
        ),
    ]
}
