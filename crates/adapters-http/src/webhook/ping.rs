//! The ping, by which an owner tries a receiver.

use serde::Serialize;
use time::OffsetDateTime;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::{answer::Timestamp, schema::one_of};

/// The type of a ping.
pub const TYPE: &str = "ping";

/// The id of a new ping, and its JSON.
pub fn new_ping(at: OffsetDateTime) -> Result<(String, Vec<u8>), serde_json::Error> {
    let id = format!("{TYPE}_{}", Uuid::now_v7());
    Ok((id, serde_json::to_vec(&Ping::at(at))?))
}

/// A ping: an event about nothing.
#[derive(Serialize, ToSchema)]
pub struct Ping {
    #[serde(rename = "type")]
    #[schema(schema_with = name)]
    name: &'static str,
    /// When it was sent.
    #[schema(value_type = OffsetDateTime)]
    timestamp: Timestamp,
    #[schema(value_type = Object)]
    data: Nothing,
}

#[derive(Serialize)]
struct Nothing {}

impl Ping {
    const fn at(at: OffsetDateTime) -> Self {
        Self {
            name: TYPE,
            timestamp: Timestamp(at),
            data: Nothing {},
        }
    }
}

fn name() -> utoipa::openapi::ObjectBuilder {
    one_of("Says that it is no event.", &[TYPE])
}
