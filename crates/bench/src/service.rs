//! The program under test: set up on a database, started, and filled with postings.

use std::fmt::Write as _;
use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use crate::bodies::{TAILS, Tail, payload, title};
use crate::child::{self, Running};
use crate::http;
use xtask::process::Interrupt;

/// The program, set up on one database with keys and a client.
pub struct Installation<'run> {
    program: &'run Path,
    interrupt: &'run Interrupt,
    database: String,
    folder: PathBuf,
    client: Value,
}

/// A running server.
pub struct Service {
    pub process: Running,
    pub address: SocketAddr,
    pub token: String,
}

impl<'run> Installation<'run> {
    /// Creates schema, keys and client. The folder must not exist yet.
    pub fn new(
        program: &'run Path,
        database: String,
        folder: PathBuf,
        interrupt: &'run Interrupt,
    ) -> Result<Self> {
        fs::create_dir_all(&folder)?;
        let mut installation = Self {
            program,
            interrupt,
            database,
            folder,
            client: Value::Null,
        };
        installation.run(&["migrate"])?;
        installation.run(&["keys", "generate"])?;
        let client = installation.run(&[
            "clients",
            "create",
            "--name",
            "bench",
            "--scope",
            "job-postings:write",
            "--json",
        ])?;
        installation.client = serde_json::from_str(&client).context("no client was printed")?;
        Ok(installation)
    }

    /// Starts `posthaste serve` without workers.
    pub fn serve(&self) -> Result<Service> {
        let command = self.command(&["serve", "--no-worker"]);
        let log = self.folder.join("serve.log");
        let start = || -> Result<Service> {
            let mut process = Running::start(&command, &log)?;
            let line = process.first_line(self.interrupt)?;
            let address = address_in(&line)?;
            let token = http::token(address, &self.client)?;
            Ok(Service {
                process,
                address,
                token,
            })
        };
        start().with_context(|| format!("the service did not start:\n{}", child::end_of_file(&log)))
    }

    /// Pushes numbered postings through the service, by the program's own bulk loader.
    pub fn push(&self, service: &Service, kinds: &[&str], count: u64) -> Result<()> {
        let tails: Vec<_> = (0..TAILS.min(count)).map(|n| Tail::new(n).json()).collect();
        let file = self.folder.join("seed.ndjson");
        let mut lines = String::new();
        for kind in kinds {
            for (number, tail) in (0..count).zip(tails.iter().cycle()) {
                let identifier = format!("{kind}-{number}");
                let payload = payload(number, &title(&identifier), tail);
                let _ = writeln!(
                    lines,
                    r#"{{"id":{},"payload":{payload}}}"#,
                    json!(identifier)
                );
            }
        }
        fs::write(&file, lines)?;
        let mut command = self.command(&["push"]);
        command.arg(&file).arg("--url");
        command.arg(format!("http://{}", service.address));
        for (option, name) in [
            ("POSTHASTE_CLIENT_ID", "client_id"),
            ("POSTHASTE_CLIENT_SECRET", "client_secret"),
        ] {
            let value = self.client.get(name).and_then(Value::as_str);
            command.env(option, value.unwrap_or_default());
        }
        child::output(&command, self.interrupt)?;
        fs::remove_file(file)?;
        Ok(())
    }

    fn run(&self, arguments: &[&str]) -> Result<String> {
        child::output(&self.command(arguments), self.interrupt)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(self.program);
        command
            .args(arguments)
            // This folder has no `.env`.
            .current_dir(&self.folder)
            .env("DATABASE_URL", &self.database)
            .env("POSTHASTE_DATA_DIR", self.folder.join("data"))
            .env("POSTHASTE_BIND", "127.0.0.1:0")
            .env("POSTHASTE_ADMIN_BIND", "127.0.0.1:0")
            // The token must not expire during a long run.
            .env("POSTHASTE_TOKEN_TTL", "36000");
        command
    }
}

/// The first address in the line that a server prints when it starts.
fn address_in(line: &str) -> Result<SocketAddr> {
    let after = line.split_once("http://").map(|(_, rest)| rest);
    let address = after.and_then(|rest| {
        let end = rest.find(|letter: char| !(letter.is_ascii_digit() || ".:".contains(letter)));
        rest.get(..end.unwrap_or(rest.len()))
    });
    let address = address.with_context(|| format!("no address in {line:?}"))?;
    Ok(address.parse()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_found_in_sentences() {
        let line = "Posthaste listens on http://127.0.0.1:4711, API documentation: http://x/docs";
        assert_eq!(address_in(line).unwrap().port(), 4711);
        assert_eq!(
            address_in("listening on http://127.0.0.1:1")
                .unwrap()
                .port(),
            1
        );
        assert!(address_in("error: no port").is_err());
    }
}
