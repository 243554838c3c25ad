use std::future::{Future, ready};

use clap::Args;
use clap_complete::Shell;
use cli::options;

use crate::output;

/// Print completions for a shell
#[derive(Debug, Args)]
pub struct Completions {
    /// The shell to print completions for
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

impl Completions {
    pub fn run(self) -> impl Future<Output = anyhow::Result<()>> {
        let mut script = Vec::new();
        clap_complete::generate(
            self.shell,
            &mut options::definitions(),
            "posthaste",
            &mut script,
        );
        ready(output::print_lines(&script))
    }
}
