mod commands;
mod departures;
mod migration;
mod report;
mod steps;
