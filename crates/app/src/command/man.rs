use std::{
    fs,
    future::{Future, ready},
    path::PathBuf,
};

use anyhow::Context as _;
use clap::Args;
use cli::options;

/// Write a manual page for each command
#[derive(Debug, Args)]
pub struct Man {
    /// The directory of the pages, such as `/usr/local/share/man/man1`; created if missing
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

impl Man {
    pub fn run(self) -> impl Future<Output = anyhow::Result<()>> {
        ready(self.write())
    }

    fn write(&self) -> anyhow::Result<()> {
        let context = || format!("cannot write manual pages to {}", self.folder.display());
        fs::create_dir_all(&self.folder).with_context(context)?;
        clap_mangen::generate_to(options::definitions(), &self.folder).with_context(context)
    }
}
