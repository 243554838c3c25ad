//! The commands that run once and end.

pub mod audit;
pub mod backup;
pub mod clients;
pub mod companies;
pub mod console;
pub mod copy;
pub mod doctor;
pub mod healthcheck;
pub mod keys;
pub mod migrate;
pub mod openapi;
pub mod outbox;
pub mod postings;
pub mod run;
pub mod shell;
pub mod subscribers;
pub mod webhooks;
