//! Configuration errors that are detected only in use.

/// A configuration error; it ends the program with the exit code of bad usage.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Misconfigured(pub String);
