//! What is wrong with the configuration and shows only when it is used.

use std::fmt;

/// An error that ends the program as bad usage does.
#[derive(Debug)]
pub struct Misconfigured(pub String);

impl fmt::Display for Misconfigured {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Misconfigured {}
