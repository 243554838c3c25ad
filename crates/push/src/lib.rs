//! The loader of `posthaste push`: an API client that sends a file as one import.
//!
//! A [`Source`] has the lines: a file or standard input, plain or compressed, NDJSON or one JSON
//! array. A [`Conversion`] creates lines from another format first. The [`Loader`] streams them in
//! one request. After a broken connection or an outage it waits, and sends everything again; lines
//! already taken do not change. [`Progress`] is updated meanwhile, and [`show`] displays it. The
//! [`Import`] has the outcome; [`Summary`] and [`write_rejects`] report it.
//!
//! [`Push`] is the command, in `posthaste` and in `posthaste-push`.
//!
//! Memory is bounded for any input: a few blocks, and at most 64 MiB of receipts.

mod answer;
mod body;
mod command;
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

use self::{
    answer::Missing,
    import::{Catalogue, Handling, Import},
    show::show,
    summary::Summary,
};
pub use self::{
    answer::Receipt,
    command::{Push, definitions},
    import::{Options, Receipts},
    loader::Loader,
    progress::Progress,
    source::Source,
    token::Credentials,
};
