//! The newsletter: what the membership system reports, what the provider is told and says, and
//! the move from one of its accounts to the other.

mod commands;
mod departures;
mod leaving;
mod limit;
mod migration;
mod outages;
mod report;
mod steps;
mod sync;
mod webhook;
