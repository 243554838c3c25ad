//! The OpenAPI schema of the form.

use super::form::Action;
use crate::schema::{Named, filled_string, object, reference, string, with_all};

/// The schemas of the body.
pub fn schemas() -> Vec<Named> {
    let form = object("The form of the page.").property("action", reference("MigrationAction"));
    let form = with_all(form, [("token", filled_string("The token of the link."))]);
    let action = string("The action; `confirm` if absent.")
        .enum_values(Some(Action::ALL.map(Action::as_str)));
    vec![
        ("MigrationConfirmation", form.into()),
        ("MigrationAction", action.into()),
    ]
}
