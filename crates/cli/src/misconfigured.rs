/// An error that ends the program with the exit code of bad usage.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Misconfigured(pub String);
