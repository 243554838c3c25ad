#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// Clap has the message, such as the help.
    #[error("{0}")]
    Usage(Box<clap::Error>),
    #[error("{0}")]
    Value(String),
}
