use clap::ValueEnum;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Part {
    /// The alert rules for Prometheus
    Alerts,
    /// Every test in Rust, end-to-end tests included
    Rust,
    /// Third-party clients, a fuzzer and a browser
    Python,
    /// Third-party clients in JavaScript and TypeScript
    Node,
}
