//! The ping, by which an owner tries a receiver.

use serde::Serialize;
use time::OffsetDateTime;
use utoipa::ToSchema;

use crate::{answer::Timestamp, schema::one_of};

/// The type of a ping.
pub const TYPE: &str = "ping";

/// The JSON of a ping.
pub fn ping_body(at: OffsetDateTime) -> Result<Vec<u8>, serde_json::Error> {
    serde_json::to_vec(&Ping::at(at))
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
