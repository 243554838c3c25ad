//! Values of options about webhooks.

use ::webhooks::{EndpointId, LONGEST_DESCRIPTION, PrivateAddresses, PublicEvent, RetrySchedule};
use kernel::{
    event::{Cursor, EventName},
    field::Term as _,
};

use super::line;

/// `POSTHASTE_WEBHOOK_RETRY_SECONDS`.
pub fn retry_schedule(text: &str) -> Result<RetrySchedule, String> {
    text.parse()
        .map_err(|error: ::webhooks::InvalidRetrySchedule| error.to_string())
}

/// `POSTHASTE_WEBHOOK_PRIVATE`.
pub fn private_addresses(text: &str) -> Result<PrivateAddresses, String> {
    match text.trim() {
        "refuse" => Ok(PrivateAddresses::Refuse),
        "allow" => Ok(PrivateAddresses::Allow),
        _ => Err(format!("{text:?} is neither `refuse` nor `allow`")),
    }
}

/// The id of a webhook.
pub fn endpoint_id(text: &str) -> Result<EndpointId, String> {
    let id = text.trim().parse();
    id.map_err(|_| format!("{text:?} is not a webhook's id, which is a UUID"))
}

/// The type of an event.
pub fn event_type(text: &str) -> Result<EventName, String> {
    match PublicEvent::parse(text.trim()) {
        Some(PublicEvent(name)) => Ok(name),
        None => Err(format!("{text:?} is not {}", PublicEvent::EXPECTED)),
    }
}

/// The id of an event.
pub fn event_id(text: &str) -> Result<Cursor, String> {
    let id = text.trim().parse();
    id.map_err(|_| format!("{text:?} is not the id of an event"))
}

/// The description of a webhook.
pub fn webhook_description(text: &str) -> Result<String, String> {
    line(text, LONGEST_DESCRIPTION)
}
