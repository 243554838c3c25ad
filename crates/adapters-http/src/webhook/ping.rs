//! The ping, by which an owner tries a receiver.

use serde::Serialize;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::answer::Timestamp;

/// An event about nothing.
#[derive(Serialize)]
struct Ping {
    r#type: &'static str,
    timestamp: Timestamp,
    data: Nothing,
}

#[derive(Serialize)]
struct Nothing {}

/// The id of a new ping, and its JSON.
pub fn new_ping(at: OffsetDateTime) -> Result<(String, Vec<u8>), serde_json::Error> {
    let ping = Ping {
        r#type: "ping",
        timestamp: Timestamp(at),
        data: Nothing {},
    };
    Ok((
        format!("ping_{}", Uuid::now_v7()),
        serde_json::to_vec(&ping)?,
    ))
}
