//! The loader of `posthaste push`: an API client that sends a file as one import.
//!
//! A [`Source`] has the lines: a file or standard input, plain or compressed, NDJSON or one JSON
//! array. A [`Conversion`] creates lines from another format first. The [`Loader`] streams them in
//! one request. After a broken connection or an outage it waits, and sends everything again; lines
//! already taken do not change. [`Progress`] reports meanwhile, and [`show`] displays it. The
//! [`Import`] has the outcome; [`Summary`] and [`write_rejects`] report it.
//!
//! Memory is bounded for any input: a few blocks, and at most 64 MiB of receipts.

mod answer;
mod body;
mod counts;
mod entry;
mod failure;
mod from;
mod import;
mod lines;
mod loader;
mod preview;
mod progress;
mod reasons;
mod rejects;
mod retries;
mod show;
mod source;
mod spool;
mod summary;
mod token;

pub use self::{
    answer::{Missing, Outcome, Receipt},
    counts::Counts,
    from::{Conversion, Converted, PRELUDE, PRESETS, Preset, Setting},
    import::{Catalogue, Handling, Import, Options, Receipts},
    loader::Loader,
    progress::{Progress, Snapshot},
    rejects::write_rejects,
    show::show,
    source::Source,
    summary::Summary,
    token::Credentials,
};
