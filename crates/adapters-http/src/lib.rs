//! The HTTP adapter of Posthaste, on actix-web.
//!
//! Handlers translate and decide nothing: a request becomes a command or a query of `domain`, and
//! its result becomes an answer. [`Application`] is the server of the API; the `app` crate builds
//! it with its ports, runs it and stops it. [`AdminApplication`] is a second, small server for
//! monitoring.
//!
//! `middleware` wraps every request, `error` is the HTTP form of every error, `body` reads request
//! bodies, and `guard` checks the client of each route. The server is of the crate `http-server`.

mod accept;
mod access;
mod admin;
mod answer;
mod application;
mod body;
mod client_pages;
mod coding;
mod company;
mod docs;
mod error;
mod etag;
mod event;
#[cfg(fuzzing)]
pub mod fuzz;
mod guard;
mod guide;
mod health;
mod host;
mod import;
mod integration;
mod middleware;
pub mod oauth;
mod openapi;
mod ports;
mod posting;
mod query;
mod resource;
mod schema;
mod slots;
mod state;
mod subscriber;
mod trace;
mod webhook;

pub use http_server::Timeouts;

pub use self::{
    access::{REQUEST_BUCKETS, REQUEST_SECONDS},
    admin::{AdminApplication, AdminListener, MetricsPage},
    application::{Application, BuildError, HttpSettings, StopHandle},
    client_pages::{ClientPages, PageRoutes},
    event::{event_body, event_text},
    health::Readiness,
    host::Hosts,
    import::catalogue_data,
    integration::client_data,
    openapi::openapi,
    ports::{Ports, ReadPorts, ReadSource, WebhookPorts},
    posting::with_history as posting_data,
    subscriber::{new_migration_token, new_subscriber_id, subscriber_data},
    webhook::{delivery_data, endpoint_data, new_ping},
};

/// Describes the metrics, and starts counters at zero, so that a first event shows as a step.
pub fn describe_metrics() {
    access::describe();
    oauth::describe_metrics();
}
