//! The newsletter: reports of the membership system, syncs to the provider and its deliveries, and
//! the move from its old account to the new one.

mod commands;
mod departures;
mod migration;
mod report;
mod steps;
