//! The form, as the OpenAPI document describes it.

use crate::openapi::schema::{Named, filled_string, object, with_all};

/// The schema of the body.
pub fn schemas() -> Vec<Named> {
    let form = with_all(
        object("The holder of a link."),
        [("token", filled_string("The token of the link."))],
    );
    vec![("MigrationConfirmation", form.into())]
}
