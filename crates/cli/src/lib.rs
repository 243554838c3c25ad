//! Everything around a program's commands.
//!
//! - [`options`], [`values`]: from arguments, the environment, `.env` and secrets.
//! - [`output`], [`progress`], [`text`]: output that is safe for a terminal.
//! - [`input`], [`records`]: input files, by lines and as CSV.
//! - [`logging`]; [`misconfigured`]: errors of configuration that show in use.
//! - [`shutdown`], [`supervisor`], [`descriptors`]: signals, systemd, and the limit of open files.

pub mod descriptors;
pub mod input;
pub mod logging;
pub mod misconfigured;
pub mod options;
pub mod output;
pub mod progress;
pub mod records;
pub mod shutdown;
pub mod supervisor;
pub mod text;
pub mod values;
