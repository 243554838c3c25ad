//! The operations on the client itself.

use utoipa::openapi::{HttpMethod, PathItem, path::OperationBuilder};

use super::{
    errors::{ALL, with_errors},
    operation::operation,
    response::{ok, with_header},
    security::requires,
};
use crate::{
    integration::{IntegrationAnswer, LINK_PATH, LinkAnswer, PATH},
    posting::READERS,
};

/// The tag of these operations.
pub const TAG: &str = "Integration";

/// The paths with their operations.
pub fn paths() -> Vec<(String, PathItem)> {
    let found = ok::<IntegrationAnswer>("The client.");
    let operation = operation(
        TAG,
        "getIntegration",
        "The client itself",
        "What the client may do, and what came of its pushes: the last 30 days with anything, and \
         the last 50 refusals. Dry runs, 401, 429 and failures of the service are not counted. \
         Counts may lag by ten seconds.",
    )
    .securities(Some(requires(READERS)))
    .response("200", with_header(found, "Cache-Control"));
    let operation = with_errors(operation, &[ALL]);
    vec![
        (PATH.to_owned(), PathItem::new(HttpMethod::Get, operation)),
        (
            LINK_PATH.to_owned(),
            PathItem::new(HttpMethod::Post, link()),
        ),
    ]
}

fn link() -> OperationBuilder {
    let made = ok::<LinkAnswer>("The link.");
    let operation = operation(
        TAG,
        "createIntegrationLink",
        "A link to the client's pages",
        "Makes a link for the people who run the client: it signs a browser in once, within 24 \
         hours, for 12 hours, to the pages under `/integration`. They show what became of the \
         client's postings, its catalogues and its webhooks. Links and sessions end when the \
         client is revoked or its tokens are ended.",
    )
    .securities(Some(requires(READERS)))
    .response("200", with_header(made, "Cache-Control"));
    with_errors(operation, &[ALL])
}
