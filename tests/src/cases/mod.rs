//! The tests, one module for each subject of the contract.

mod clients;
mod command_line;
mod concurrency;
mod configuration;
mod disk;
mod durability;
mod enrichment;
mod events;
mod following;
mod imports;
mod keys;
mod lifetime;
mod list;
mod metrics;
mod model;
mod moderation;
mod newsletter;
mod oauth;
mod outage;
mod postings;
mod processes;
mod push;
mod schema;
mod siege;
mod storm;
mod webhooks;
