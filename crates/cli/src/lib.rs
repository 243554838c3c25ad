//! Everything around a program's commands.
//!
//! - [`program`]: from the command line to the exit code.
//! - [`options`], [`values`], [`json`]: from arguments, the environment, `.env` and secrets.
//! - [`output`], [`progress`], [`text`]: output that is safe for a terminal.
//! - [`input`], [`records`]: input files, by lines and as CSV.
//! - [`logging`]; [`misconfigured`]: errors of configuration that appear only in use.
//! - [`shutdown`], [`supervisor`], [`descriptors`]: signals, systemd, and the limit of open files.

pub mod descriptors;
pub mod input;
pub mod json;
pub mod logging;
pub mod misconfigured;
pub mod options;
pub mod output;
pub mod program;
pub mod progress;
pub mod records;
pub mod shutdown;
pub mod supervisor;
pub mod text;
pub mod values;
