//! The operation on the client itself.

use utoipa::openapi::{HttpMethod, PathItem};

use super::{
    errors::{ALL, with_errors},
    operation::operation,
    response::{ok, with_header},
    security::requires,
};
use crate::{
    integration::{IntegrationAnswer, PATH},
    posting::READERS,
};

/// The tag of this operation.
pub const TAG: &str = "Integration";

/// The path with its operation.
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
    vec![(PATH.to_owned(), PathItem::new(HttpMethod::Get, operation))]
}
