//! The loader of `posthaste push`: a client of the API that sends a file as one import.
//!
//! A [`Source`] has the lines: of a file or standard input, plain or packed, NDJSON or one JSON
//! array. The [`Loader`] streams them in one request, and interprets the answer. After a broken
//! connection, or while the service is unavailable, it waits and sends all of it again from the
//! start, which changes nothing that was taken already. [`Progress`] says meanwhile how far it is
//! and what it waits for; which [`show`] shows; the [`Import`] has the outcome, a [`Summary`] and
//! [`write_rejects`] tell what was not taken and why.
//!
//! A [`Conversion`] makes the lines of a source in another format first.
//!
//! Memory stays flat however long the input is: a few blocks of it, and the receipts, of which an
//! answer has 64 MiB at most.

mod answer;
mod body;
mod counts;
mod entry;
mod failure;
mod from;
mod import;
mod lines;
mod loader;
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
