//! The HTTP adapter of Posthaste, on actix-web.
//!
//! Handlers only translate: a request becomes a command or query of `domain`, and the result
//! becomes an answer. Handlers make no decisions. [`Application`] is the API server, which the
//! crate `app` builds and runs. [`BoundListener`] serves monitoring and pages.
//!
//! `middleware` wraps every request, `error` defines the form of errors, `body` reads request
//! bodies, and `guard` checks the client. The HTTP server is in the crate `http-server`.

mod accept;
mod access;
mod answer;
mod application;
mod attention;
mod body;
mod client_pages;
mod coding;
mod context;
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
mod limit;
mod listener;
mod manual;
mod middleware;
pub mod oauth;
mod openapi;
mod pages;
mod ports;
mod posting;
mod problem;
mod query;
mod report;
mod resource;
mod section;
mod sections;
mod slots;
mod state;
mod subscriber;
mod trace;
mod webhook;

pub use http_server::Timeouts;

pub use self::{
    application::{Application, HttpSettings},
    health::Readiness,
    host::Hosts,
    listener::{BoundListener, BoundServer, BuildError, MetricsPage, StopHandle},
    openapi::openapi,
    ports::{ClientPages, PageRoutes, Ports, ReadPorts, ReadSource},
};
