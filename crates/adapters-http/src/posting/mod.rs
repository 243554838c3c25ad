//! Postings over HTTP: push, read and list.

mod activity;
mod cursor;
mod export;
mod get;
mod json_ld;
mod list;
mod notice;
mod payload;
mod prefer;
mod put;
mod routes;
mod view;

#[cfg(test)]
pub use self::view::tests;

#[cfg(fuzzing)]
pub use self::cursor::{decode as read_cursor, encode as write_cursor};
pub use self::{
    activity::Pushes,
    export::NDJSON,
    json_ld::not_acceptable,
    payload::describe_fields,
    prefer::{STRICT, is_strict},
    put::PREFERENCE_APPLIED,
    routes::routes,
    view::{PostingWithHistory, Status, with_history},
};

/// The path of the list.
pub const LIST_PATH: &str = "/api/job-board/job-postings";
/// The path of the export.
pub const EXPORT_PATH: &str = "/api/job-board/export";
