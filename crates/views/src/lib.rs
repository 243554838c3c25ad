//! The JSON of Posthaste. One type writes a value of the domain for HTTP, events, webhooks, the
//! console and the command line, and describes itself for the OpenAPI document.
//!
//! Each module has the forms of one subject, mostly declared with [`view!`]. Forms `…OfOperator`
//! have more than clients see. [`json`] writes times, absent values and field errors.

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
