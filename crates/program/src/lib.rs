//! What a program has around its commands, whatever they do.
//!
//! - [`options`]: reads options from the command line, the environment, a `.env` file and files of
//!   secrets, and turns a bad value into one line. [`values`]: what options may be.
//! - [`output`], [`progress`], [`text`]: what a command prints; everything is safe for a terminal.
//! - [`input`], [`records`]: the files that a command reads, by lines and as CSV.
//! - [`logging`]: the log. [`misconfigured`]: errors of configuration that show in use.
//! - [`shutdown`], [`supervisor`], [`descriptors`]: stop signals, systemd, and the limit of open
//!   files.

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
