#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// The message is clap's, such as the help.
    #[error("{0}")]
    Usage(Box<clap::Error>),
    #[error("{0}")]
    Value(String),
}
