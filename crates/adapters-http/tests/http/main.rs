//! The HTTP API as clients see it, with real connections. The ports use a store in memory.
// `json!` with a whole posting nests deeper than the default limit of 128.
#![recursion_limit = "256"]
#![expect(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

mod admin;
mod api_page;
mod attention;
mod catalogues;
mod clients;
mod connections;
mod documentation;
mod events;
mod export;
mod identifiers;
mod imports;
mod limits;
mod logs;
mod migration;
mod negotiation;
mod operations;
mod postings;
mod refusals;
mod reports;
mod service;
mod shutdown;
mod subscribers;
mod support;
mod versions;
mod webhook;
mod webhooks;
mod wire;
