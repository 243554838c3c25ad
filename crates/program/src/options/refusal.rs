//! The reason why no command is run.

/// The reason why no command is run.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// The arguments do not fit together, or help was asked for; clap has the message.
    #[error("{0}")]
    Usage(Box<clap::Error>),
    /// An option, a variable or `.env` has a bad value: a message of one line that names it.
    #[error("{0}")]
    Value(String),
}
