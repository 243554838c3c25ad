//! Parses a line of the file as a report, by the rules of a request, with the columns' names.

use kernel::body::BodyError;
use newsletter::subscriber::{Email, PutSubscriber};
use serde_json::{Map, Value, json};

use crate::newsletter_service::{new_id, new_token};
use program::records::Fields;

/// Parses a report; the error names the columns that are wrong.
pub(super) fn report(fields: &Fields) -> Result<PutSubscriber, String> {
    let [email, name, country, plan_category, status, expires_at] = fields;
    let has_membership = !(plan_category.is_empty() && status.is_empty());
    let mut errors = Vec::new();
    if !has_membership && !expires_at.is_empty() {
        errors.push("expires_at must be empty without plan_category and status".to_owned());
    }
    let membership = has_membership.then(|| {
        // An empty field of a membership counts as missing, not as cleared.
        let given = [
            ("plan_category", plan_category),
            ("status", status),
            ("expires_at", expires_at),
        ];
        let given = given.into_iter().filter(|(_, text)| !text.is_empty());
        let given = given.map(|(name, text)| (name.to_owned(), Value::from(text.as_str())));
        given.collect::<Map<_, _>>()
    });
    let body = json!({
        "name": (!name.is_empty()).then_some(name),
        "country": (!country.is_empty()).then_some(country),
        "membership": membership,
    })
    .to_string();
    let put = PutSubscriber::read(Email::parse(email), body.as_bytes(), new_id(), new_token());
    match put {
        Ok(put) if errors.is_empty() => return Ok(put),
        Ok(_) => {}
        Err(BodyError::Invalid(found)) => {
            for (field, messages) in found.iter() {
                let column = field.strip_prefix("membership.").unwrap_or(field);
                errors.extend(messages.iter().map(|message| format!("{column} {message}")));
            }
        }
        Err(error) => errors.push(error.to_string()),
    }
    Err(errors.join("; "))
}
