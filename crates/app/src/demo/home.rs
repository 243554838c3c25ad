//! The demo's data directory, and the service on it.

use std::{
    ffi::OsString,
    io,
    path::{self, Path, PathBuf},
};

use tempfile::TempDir;

use crate::serve::Serve;

#[derive(Debug)]
pub struct Home {
    pub directory: PathBuf,
    _temporary: Option<TempDir>,
}

impl Home {
    /// Uses the given directory, or a temporary one. The temporary one stays after `--exit`, for
    /// another run.
    pub fn new(chosen: Option<&Path>, stays: bool) -> io::Result<Self> {
        if let Some(directory) = chosen {
            return Ok(Self {
                directory: path::absolute(directory)?,
                _temporary: None,
            });
        }
        let temporary = tempfile::Builder::new()
            .prefix("posthaste-demo-")
            .disable_cleanup(stays)
            .tempdir()?;
        Ok(Self {
            directory: temporary.path().to_owned(),
            _temporary: Some(temporary),
        })
    }

    pub fn database(&self) -> PathBuf {
        self.directory.join("posthaste.db")
    }

    pub fn service(&self) -> anyhow::Result<Serve> {
        let free = "127.0.0.1:0";
        let options = [
            ("--bind", free),
            ("--console-bind", free),
            ("--admin-bind", "off"),
            ("--http-threads", "1"),
            ("--max-connections", "256"),
        ];
        let options = options.iter().flat_map(|(name, value)| [*name, *value]);
        let directory = [OsString::from("--data-dir"), self.directory.clone().into()];
        Ok(Serve::with_arguments(
            options.map(OsString::from).chain(directory),
        )?)
    }
}
