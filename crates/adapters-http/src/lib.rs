//! The HTTP side of Posthaste, on actix-web.
//!
//! Handlers translate and decide nothing: a request becomes a command or a query of `domain`,
//! and what comes back becomes an answer. [`Application`] puts everything together; the `app`
//! crate builds it with its ports, runs it and stops it. [`AdminApplication`] is a small server
//! beside it, for monitoring.
//!
//! What every request passes is in `middleware`, what every error looks like in `error`,
//! how bodies are taken in in `body`, how long a
//! connection may take in `connection`, and what the resources of the API share in `api`.

mod admin;
mod answer;
mod api;
mod application;
mod body;
mod connection;
mod docs;
mod error;
#[cfg(fuzzing)]
pub mod fuzz;
mod health;
mod middleware;
pub mod oauth;
mod openapi;
mod posting;
mod request_id;
mod routing;
mod schema;
mod server;
mod state;
mod subscriber;

pub use self::{
    admin::{AdminApplication, AdminListener, MetricsPage},
    application::{Application, BuildError, HttpSettings, StopHandle},
    connection::Timeouts,
    middleware::panic_message,
    openapi::openapi,
    posting::posting_data,
    state::Ports,
    subscriber::{new_migration_token, new_subscriber_id, subscriber_data},
};
