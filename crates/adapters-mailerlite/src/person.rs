//! Reads a subscriber from an answer, strictly: anything unknown is an error.

use newsletter::subscriber::{
    Email,
    provider::{Fields, Found, Listed, ProviderId, ProviderStatus},
};
use serde_json::Value;
use time::{
    OffsetDateTime, PrimitiveDateTime, format_description::BorrowedFormatItem,
    macros::format_description,
};
use url::Host;

/// The provider's format of times. They are in UTC.
const TIME: &[BorrowedFormatItem<'_>] =
    format_description!("[year]-[month]-[day] [hour]:[minute]:[second]");

const LONGEST_WORD: usize = 40;

/// Reads the subscriber with this address. Errors are written for an operator.
pub fn of_address(body: &Value, email: &Email) -> Result<Found, String> {
    let (address, found) = read(&body["data"])?;
    if is_same(address, email.as_str()) {
        Ok(found)
    } else {
        Err("the answer is about a different address".to_owned())
    }
}

pub fn listed(person: &Value) -> Result<Listed, String> {
    let (address, found) = read(person)?;
    let email = Email::parse(address).map_err(|error| {
        let id = &found.id;
        format!("the address of the subscriber with id {id} {error}")
    })?;
    Ok(Listed { email, found })
}

fn read(person: &Value) -> Result<(&str, Found), String> {
    let id = id(&person["id"]).ok_or("the answer has a subscriber without an id")?;
    let status = status(&person["status"])?;
    let address = person["email"].as_str();
    let address = address.ok_or("the answer has a subscriber without an address")?;
    let is_set = |key: &str| !person[key].is_null();
    let found = Found {
        id: ProviderId(id),
        status,
        unsubscribed_at: person["unsubscribed_at"].as_str().and_then(moment),
        is_deleted: is_set("deleted_at") || is_set("forget_at"),
        fields: fields(&person["fields"]),
    };
    Ok((address, found))
}

/// Reads an id, which is a string in some answers and a number in others.
pub fn id(value: &Value) -> Option<String> {
    let id = match value {
        Value::String(id) => id.clone(),
        Value::Number(id) => id.as_u64()?.to_string(),
        _ => return None,
    };
    is_id(&id).then_some(id)
}

/// Whether a text has the form of an id, so that it is safe in a path.
pub fn is_id(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

fn status(value: &Value) -> Result<ProviderStatus, String> {
    let Some(word) = value.as_str() else {
        return Err("the answer has a subscriber without a status".to_owned());
    };
    ProviderStatus::parse(word).ok_or_else(|| {
        let word: String = word.chars().take(LONGEST_WORD).collect();
        format!("{word:?} is not a known status")
    })
}

fn moment(text: &str) -> Option<OffsetDateTime> {
    Some(PrimitiveDateTime::parse(text, TIME).ok()?.assume_utc())
}

fn fields(shown: &Value) -> Fields {
    let text = |key: &str| match &shown[key] {
        Value::String(text) if !text.is_empty() => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    let day = |text: String| text.chars().take(10).collect();
    Fields {
        name: text("name"),
        country: text("country"),
        membership_plan_category: text("membership_plan_category"),
        member_status: text("member_status"),
        membership_expire_at: text("membership_expire_at").map(day),
    }
}

/// Whether two texts are the same address, ignoring case and the form of the domain (IDNA).
fn is_same(one: &str, other: &str) -> bool {
    one.trim().to_lowercase() == other.to_lowercase()
        || folded(one).is_some_and(|one| folded(other) == Some(one))
}

fn folded(address: &str) -> Option<(String, Host)> {
    let (name, domain) = address.trim().rsplit_once('@')?;
    Some((name.to_lowercase(), Host::parse(domain).ok()?))
}
