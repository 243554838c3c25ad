//! The tests, one module for each subject of the contract.

mod bodies;
mod command_line;
mod companies;
mod concurrency;
mod configuration;
mod create;
mod durability;
mod enrichment;
mod expire;
mod fields;
mod identifiers;
mod keys;
mod lifetime;
mod list;
mod moderation;
mod oauth;
mod order;
mod push;
mod read;
mod service;
mod tokens;
mod unchanged;
mod update;
