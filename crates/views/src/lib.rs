//! The JSON of Posthaste. A domain value has one type here, which writes it for HTTP, events,
//! webhooks, the console and the command line, and describes it in the OpenAPI document.
//!
//! Each module has the forms of one subject, mostly declared with [`view!`]. Forms named
//! `…OfOperator` show more than clients see.

pub mod attention;
pub mod client;
pub mod company;
pub mod event;
pub mod import;
pub mod json;
pub mod posting;
pub mod report;
mod schema;
pub mod subscriber;
pub mod version;
pub mod webhook;
