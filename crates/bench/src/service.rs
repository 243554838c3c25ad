//! The program under test: built, set up on a database, started, and filled with postings.

use std::cell::RefCell;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::net::SocketAddr;
use std::os::unix::process::CommandExt as _;
use std::path::{self, Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use cargo_metadata::Message;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use xtask::process::{Interrupt, cargo};

use crate::bodies::{TAILS, Tail, payload, title};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
const POLL: Duration = Duration::from_millis(20);
const PATIENCE: Duration = Duration::from_mins(1);

pub fn program(given: Option<&Path>, profile: &str, interrupt: &Interrupt) -> Result<PathBuf> {
    if let Some(program) = given {
        return Ok(path::absolute(program)?);
    }
    println!("building (profile {profile})");
    let mut command = cargo();
    command
        .current_dir(ROOT)
        .args(["build", "--locked", "--profile", profile])
        .args(["--package", "app", "--bin", "posthaste"])
        .args(["--message-format", "json-render-diagnostics"]);
    let said = interrupt.output(&mut command)?;
    let executables = Message::parse_stream(said.as_bytes()).filter_map(|message| match message {
        Ok(Message::CompilerArtifact(artifact)) => artifact.executable,
        _ => None,
    });
    let last = executables.last().map(Into::into);
    last.context("cargo built no posthaste")
}

pub struct Installation<'run> {
    program: &'run Path,
    interrupt: &'run Interrupt,
    database: String,
    folder: PathBuf,
    client_id: String,
    client_secret: String,
}

impl<'run> Installation<'run> {
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
            client_id: String::new(),
            client_secret: String::new(),
        };
        let run = |line: &str| {
            let words: Vec<_> = line.split(' ').collect();
            interrupt.output(&mut installation.command(&words))
        };
        run("migrate")?;
        run("keys generate")?;
        let client = run("clients create --name bench --scope job-postings:write --json")?;
        let client: Value = serde_json::from_str(&client).context("no client was printed")?;
        installation.client_id = text(&client, "client_id")?;
        installation.client_secret = text(&client, "client_secret")?;
        Ok(installation)
    }

    pub fn serve(&self) -> Result<Service> {
        let (said, log) = (self.folder.join("said"), self.folder.join("log"));
        let mut command = self.command(&["serve", "--no-worker"]);
        command
            .stdin(Stdio::null())
            .stdout(File::create(&said)?)
            .stderr(File::create(&log)?)
            .process_group(0);
        let mut service = Service {
            child: RefCell::new(command.spawn().context("the service cannot be started")?),
            log,
            address: ([127, 0, 0, 1], 0).into(),
            token: String::new(),
        };
        let deadline = Instant::now() + PATIENCE;
        service.address = loop {
            self.interrupt.check()?;
            service.check()?;
            if let Some(address) = address_in(&fs::read_to_string(&said)?) {
                break address;
            }
            ensure!(Instant::now() < deadline, "the service does not start");
            thread::sleep(POLL);
        };
        service.token = self.token(service.address)?;
        Ok(service)
    }

    fn token(&self, address: SocketAddr) -> Result<String> {
        let mut curl = Command::new("curl");
        curl.args(["--silent", "--show-error", "--fail", "--noproxy", "*"])
            .args(["--data", "grant_type=client_credentials"])
            .args([
                "--user",
                &format!("{}:{}", self.client_id, self.client_secret),
            ])
            .arg(format!("http://{address}/oauth/token"));
        let answer = serde_json::from_str(&self.interrupt.output(&mut curl)?)?;
        text(&answer, "access_token")
    }

    /// Pushes numbered postings through the service, with the program's own bulk loader.
    pub fn push(&self, service: &Service, kinds: &[&str], count: u64) -> Result<()> {
        let tails: Vec<_> = (0..TAILS.min(count)).map(|n| Tail::new(n).json()).collect();
        let file = self.folder.join("seed.ndjson");
        let mut lines = String::new();
        for kind in kinds {
            for (number, tail) in (0..count).zip(tails.iter().cycle()) {
                let identifier = format!("{kind}-{number}");
                let payload = payload(number, &title(&identifier), tail);
                let id = json!(identifier);
                let _ = writeln!(lines, r#"{{"id":{id},"payload":{payload}}}"#);
            }
        }
        fs::write(&file, lines)?;
        let mut command = self.command(&["push"]);
        command
            .arg(&file)
            .args(["--url", &format!("http://{}", service.address)])
            .env("POSTHASTE_CLIENT_ID", &self.client_id)
            .env("POSTHASTE_CLIENT_SECRET", &self.client_secret);
        self.interrupt.output(&mut command)?;
        fs::remove_file(file)?;
        Ok(())
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
            .env("POSTHASTE_ADMIN_BIND", "off")
            .env("POSTHASTE_CONSOLE_BIND", "off")
            // The token must not expire during a long run.
            .env("POSTHASTE_TOKEN_TTL", "36000");
        command
    }
}

fn text(of: &Value, key: &str) -> Result<String> {
    let text = of.get(key).and_then(Value::as_str);
    Ok(text
        .with_context(|| format!("there is no {key}"))?
        .to_owned())
}

pub struct Service {
    child: RefCell<Child>,
    log: PathBuf,
    pub address: SocketAddr,
    pub token: String,
}

impl Service {
    pub fn id(&self) -> u32 {
        self.child.borrow().id()
    }

    /// Fails if the service has exited, with its log.
    pub fn check(&self) -> Result<()> {
        match self.child.borrow_mut().try_wait()? {
            None => Ok(()),
            Some(status) => bail!(
                "the service ended: {status}\n{}",
                fs::read_to_string(&self.log)?
            ),
        }
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let child = self.child.get_mut();
        // Checked before the signal is sent: afterwards its id may be reused.
        if matches!(child.try_wait(), Ok(None))
            && let Some(process) = i32::try_from(child.id()).ok().and_then(Pid::from_raw)
        {
            let _ = kill_process(process, Signal::TERM);
        }
        let deadline = Instant::now() + PATIENCE;
        while Instant::now() < deadline {
            if !matches!(child.try_wait(), Ok(None)) {
                return;
            }
            thread::sleep(POLL);
        }
        let _ = child.kill();
        let _ = child.wait();
    }
}

/// The first address in the line that a server prints when it starts.
fn address_in(said: &str) -> Option<SocketAddr> {
    let (line, _) = said.split_once('\n')?;
    let (_, rest) = line.split_once("http://")?;
    let end = rest.find(|letter: char| !(letter.is_ascii_digit() || ".:".contains(letter)));
    rest.get(..end.unwrap_or(rest.len()))?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_found_in_a_whole_line() {
        let line = "Posthaste listens on http://127.0.0.1:4711, API documentation: http://x/docs\n";
        assert_eq!(address_in(line), Some(([127, 0, 0, 1], 4711).into()));
        assert_eq!(address_in("Posthaste listens on http://127.0.0.1:47"), None);
        assert_eq!(address_in("error: no port\n"), None);
    }
}
