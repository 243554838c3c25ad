//! Configuration errors that are detected only in use.

use std::fmt;

/// A configuration error; it ends the program with the exit code of bad usage.
#[derive(Debug)]
pub struct Misconfigured(pub String);

impl fmt::Display for Misconfigured {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Misconfigured {}
