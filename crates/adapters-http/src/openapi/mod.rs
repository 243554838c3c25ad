//! The OpenAPI 3.1 document.
//!
//! It is built from the same constants and names that the rules use, so its limits cannot differ
//! from those that are enforced; `tests` checks the rest.

mod errors;
mod events;
mod imports;
mod integration;
mod job_posting;
mod newsletter;
mod oauth;
mod operation;
mod postings;
mod response;
mod security;
mod service;
#[cfg(test)]
mod tests;
mod webhooks;

use utoipa::{
    PartialSchema as _, ToSchema as _,
    openapi::{
        Components, ComponentsBuilder, InfoBuilder, LicenseBuilder, OpenApi, OpenApiBuilder,
        PathsBuilder, ServerBuilder, tag::TagBuilder,
    },
};

use crate::{
    error::{ErrorBody, InternalBody, ValidationBody},
    event::{DeliveredEvent, EventPageAnswer},
    health::Health,
    import::{CatalogueAnswer, CataloguesAnswer, ImportLine, UndoneAnswer},
    integration::{IntegrationAnswer, LinkAnswer},
    oauth::{JwkSet, Metadata, TokenAnswer, TokenErrorBody},
    posting::{self, PageAnswer, PostingAnswer, PutAnswer},
    schema::of_answer,
    subscriber::{self, SubscriberAnswer, WebhookAnswer},
    webhook::{
        self, AttemptAnswer, DeliveriesAnswer, EndpointAnswer, EndpointsAnswer, SecretAnswer,
    },
};

const DESCRIPTION: &str = "\
Posthaste takes in job postings. An integration pushes each posting with one idempotent `PUT` \
under the posting's own identifier; the same operation creates, updates and expires. A new \
posting is enriched and then approved or rejected; `GET` returns its status, and why. \
Beside that it keeps newsletter subscribers in sync with an e-mail provider.

**Access.** Ask `/oauth/token` for a token with your client's credentials and send it as \
`Authorization: Bearer`. The token is checked before anything else. An operator may give a client \
prefixes, and it uses only the identifiers that begin with one of them: others are answered 403 \
when it pushes, 404 when it reads, and are absent from lists, exports, events and webhooks.

**Limits.** If a client has a limit of requests a minute, every answer to it has \
`RateLimit-Policy` and `RateLimit`; past the limit it is answered 429 with `Retry-After`.

**Errors** are JSON with a `message`. A 422 for invalid fields lists all of them under `errors`, by \
path, such as `company.website_url` or `employment_types.0`. A 429 or 503 says in `Retry-After` \
when to try again; repeating a request is always safe. A method that a path does not support is \
answered with 405 and `Allow`.

**Saving traffic.** Lists, events, exports and postings are compressed if `Accept-Encoding` allows \
`zstd` or `gzip`. What has an `ETag` is not sent again to a client that has it: `If-None-Match`.

**Request ids.** Every answer carries `X-Request-Id`: the one that you sent, if it has 1 to 128 \
characters out of `A-Z a-z 0-9 . _ -`, else a new one. Quote it when you report a problem.";

/// The document that describes this API.
pub fn openapi() -> OpenApi {
    let info = InfoBuilder::new()
        .title("Posthaste")
        .version(env!("CARGO_PKG_VERSION"))
        .description(Some(DESCRIPTION))
        .license(Some(
            LicenseBuilder::new()
                // A viewer leads to the page of an identifier; an expression of two has none.
                .name(env!("CARGO_PKG_LICENSE"))
                .build(),
        ))
        .build();
    let tag = |name: &str, description: &str| {
        TagBuilder::new()
            .name(name)
            .description(Some(description))
            .build()
    };
    let paths = [
        postings::paths(),
        imports::paths(),
        events::paths(),
        webhooks::paths(),
        integration::paths(),
        newsletter::paths(),
        oauth::paths(),
        service::paths(),
    ]
    .into_iter()
    .flatten();
    OpenApiBuilder::new()
        .info(info)
        .servers(Some([ServerBuilder::new()
            .url("/")
            .description(Some("This service"))
            .build()]))
        .tags(Some([
            tag(postings::TAG, "Push postings, and read their status."),
            tag(
                imports::TAG,
                "Push many postings, or a whole catalogue, at once.",
            ),
            tag(
                events::TAG,
                "Follow what happens to postings and companies.",
            ),
            tag(
                webhooks::TAG,
                "Have events delivered, by Standard Webhooks 1.0.",
            ),
            tag(integration::TAG, "What a client may do, and what it did."),
            tag(
                newsletter::TAG,
                "Report newsletter subscribers, and what the e-mail provider and the people \
                 themselves say.",
            ),
            tag(oauth::TAG, "Tokens, and how to get and check them."),
            tag(service::TAG, "The service itself."),
        ]))
        .paths(paths.fold(PathsBuilder::new(), |paths, (path, item)| {
            paths.path(path, response::with_limits(item))
        }))
        .webhooks(Some(
            webhooks::deliveries().fold(PathsBuilder::new(), |paths, (name, item)| {
                paths.path(name, item)
            }),
        ))
        .components(Some(components()))
        .build()
}

/// All components of the document.
fn components() -> Components {
    let bodies = [
        posting::payload_schemas(),
        webhook::payload_schemas(),
        subscriber::payload_schemas(),
        subscriber::webhook_schemas(),
        subscriber::form_schemas(),
        vec![oauth::schema(), job_posting::schema()],
    ];
    let answers = [
        of_answer::<PutAnswer>(),
        of_answer::<PostingAnswer>(),
        of_answer::<PageAnswer>(),
        of_answer::<ImportLine>(),
        of_answer::<CatalogueAnswer>(),
        of_answer::<CataloguesAnswer>(),
        of_answer::<UndoneAnswer>(),
        of_answer::<EventPageAnswer>(),
        of_answer::<DeliveredEvent>(),
        of_answer::<EndpointAnswer>(),
        of_answer::<SecretAnswer>(),
        of_answer::<EndpointsAnswer>(),
        of_answer::<AttemptAnswer>(),
        of_answer::<DeliveriesAnswer>(),
        of_answer::<IntegrationAnswer>(),
        of_answer::<LinkAnswer>(),
        of_answer::<SubscriberAnswer>(),
        of_answer::<WebhookAnswer>(),
        of_answer::<TokenAnswer>(),
        of_answer::<JwkSet>(),
        of_answer::<Metadata>(),
        of_answer::<Health>(),
        of_answer::<TokenErrorBody>(),
        of_answer::<ErrorBody>(),
        of_answer::<InternalBody>(),
    ];
    let components = ComponentsBuilder::new()
        .schemas_from_iter(bodies.into_iter().flatten())
        .schemas_from_iter(answers.into_iter().flatten())
        .schema(ValidationBody::name(), ValidationBody::schema())
        .responses_from_iter(errors::responses());
    let components = response::headers()
        .into_iter()
        .fold(components, |all, (name, header)| all.header(name, header));
    security::schemes()
        .into_iter()
        .fold(components, |all, (name, scheme)| {
            all.security_scheme(name, scheme)
        })
        .build()
}
