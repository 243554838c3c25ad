/// Why no command is run.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// Clap has the message, such as the help.
    #[error("{0}")]
    Usage(Box<clap::Error>),
    /// One line that names the option, variable or file.
    #[error("{0}")]
    Value(String),
}
