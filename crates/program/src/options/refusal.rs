//! The reason why no command is run.

use std::fmt;

/// The reason why no command is run.
#[derive(Debug)]
pub enum Refusal {
    /// The arguments do not fit together, or help was asked for; clap has the message.
    Usage(Box<clap::Error>),
    /// An option, a variable or `.env` has a bad value: a message of one line that names it.
    Value(String),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usage(error) => error.fmt(f),
            Self::Value(line) => f.write_str(line),
        }
    }
}
