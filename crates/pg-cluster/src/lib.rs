//! A private, throwaway PostgreSQL cluster with a temporary directory, a free loopback port and a
//! random password. Durability is on, so that measurements and crash tests are realistic.

mod account;
mod port;
mod standby;

use std::env;
use std::fs::{self, File};
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use tempfile::TempDir;

use self::account::Account;
pub use self::port::free_port;

const SUPERUSER: &str = "posthaste";
/// Debian's folder, with a subfolder for each major version.
const DEBIAN_VERSIONS: &str = "/usr/lib/postgresql";
const START_LIMIT: Duration = Duration::from_mins(10);
const STOP_LIMIT: Duration = Duration::from_mins(2);
const POLL: Duration = Duration::from_millis(50);

/// The folder of the newest `initdb` and `postgres` on this machine.
pub fn programs() -> Option<PathBuf> {
    newest_version(Path::new(DEBIAN_VERSIONS)).or_else(|| {
        env::split_paths(&env::var_os("PATH")?).find_map(|folder| {
            // A file on the `PATH` may be a link into the folder that has both.
            let initdb = fs::canonicalize(folder.join("initdb")).ok()?;
            initdb
                .parent()
                .map(Path::to_owned)
                .filter(|folder| has_server(folder))
        })
    })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shutdown {
    /// The server aborts transactions, closes connections, and flushes everything to its files.
    Fast,
    /// The server exits at once and recovers at its next start, as after a crash.
    Immediate,
    /// All processes of the server are killed, as in a power failure.
    Kill,
}

impl Shutdown {
    fn tell(self, server: Pid) {
        // An error means that the server has already exited.
        let _ = match self {
            // The server ends its child processes.
            Self::Fast => kill_process(server, Signal::INT),
            Self::Immediate => kill_process(server, Signal::QUIT),
            Self::Kill => kill_process_group(server, Signal::KILL),
        };
    }
}

/// Dropping it stops the server and removes the files.
pub struct Cluster {
    /// `None` while the server is stopped.
    server: Option<Child>,
    programs: PathBuf,
    account: Account,
    port: u16,
    password: String,
    url: String,
    // The last field, so that it is dropped after the server has stopped.
    directory: TempDir,
}

impl Cluster {
    /// Starts a cluster with the newest programs of this machine. It ends with the calling thread,
    /// so that it does not outlive a killed program.
    pub fn start() -> Result<Self> {
        let programs = programs().context("no PostgreSQL: apt-get install postgresql")?;
        let mut cluster = Self::prepare(&programs, password()?)?;
        let password_file = cluster.home().join("password");
        fs::write(&password_file, &cluster.password)?;
        cluster.account.own(&password_file)?;
        initialise(&programs, &cluster.account, cluster.home(), &password_file)?;
        fs::remove_file(&password_file)?;
        cluster.start_again()?;
        Ok(cluster)
    }

    /// Returns a cluster that has no files yet.
    fn prepare(programs: &Path, password: String) -> Result<Self> {
        let account = Account::for_server()?;
        let directory = tempfile::Builder::new()
            .prefix("posthaste-postgres-")
            .tempdir()
            .context("cannot create a temporary directory for PostgreSQL")?;
        account.own(directory.path())?;
        let port = free_port()?;
        Ok(Self {
            server: None,
            programs: programs.to_owned(),
            account,
            port,
            url: format!("postgres://{SUPERUSER}:{password}@127.0.0.1:{port}/postgres"),
            password,
            directory,
        })
    }

    /// Starts the stopped server, which ends with the calling thread.
    pub fn start_again(&mut self) -> Result<()> {
        if self.server.is_some() {
            bail!("the server was not stopped");
        }
        self.server = Some(self.serve()?);
        self.wait_until_ready().with_context(|| {
            format!(
                "PostgreSQL did not start; its log ends:\n{}",
                end_of(&self.log())
            )
        })
    }

    /// Stops the server. Its files stay.
    pub fn stop(&mut self, shutdown: Shutdown) -> Result<()> {
        let Some(server) = &mut self.server else {
            bail!("the server is stopped already");
        };
        if !ends(server, shutdown) {
            bail!(
                "the server did not stop within {} seconds",
                STOP_LIMIT.as_secs()
            );
        }
        self.server = None;
        Ok(())
    }

    /// The superuser's URL of the database `postgres`.
    pub fn url(&self) -> &str {
        &self.url
    }

    pub fn log(&self) -> String {
        fs::read_to_string(self.log_path()).unwrap_or_default()
    }

    pub fn program(&self, name: &str) -> PathBuf {
        self.programs.join(name)
    }

    pub fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    fn home(&self) -> &Path {
        self.directory.path()
    }

    fn log_path(&self) -> PathBuf {
        self.home().join("server.log")
    }

    fn serve(&self) -> Result<Child> {
        let log = File::options()
            .create(true)
            .append(true)
            .open(self.log_path())?;
        let directory = self.home();
        self.account
            .command(&self.program("postgres"), directory)
            .arg("-D")
            .arg(data_of(directory))
            .args(["-h", "127.0.0.1", "-p", &self.port.to_string()])
            // No socket file: its default folder may not be writable for this account.
            .args(["-c", "unix_socket_directories="])
            // Tests run concurrently, each with a connection pool of its own.
            .args(["-c", "max_connections=300"])
            .args(["-c", "fsync=on"])
            .stdin(Stdio::null())
            .stdout(log.try_clone()?)
            .stderr(log)
            .process_group(0)
            .spawn()
            .context("cannot start PostgreSQL")
    }

    fn wait_until_ready(&mut self) -> Result<()> {
        let status_file = data_of(self.home()).join("postmaster.pid");
        let Some(server) = &mut self.server else {
            bail!("the server was not started");
        };
        let id = server.id().to_string();
        let deadline = Instant::now() + START_LIMIT;
        while Instant::now() < deadline {
            if let Some(status) = server.try_wait()? {
                bail!("the server ended: {status}");
            }
            // As in pg_ctl: the last line is the server's state, the first its process id. Another
            // server could answer on the port.
            let status = fs::read_to_string(&status_file).unwrap_or_default();
            let lines = status.lines().map(str::trim).collect::<Vec<_>>();
            if lines.first() == Some(&id.as_str()) && lines.get(7) == Some(&"ready") {
                return Ok(());
            }
            thread::sleep(POLL);
        }
        bail!("it was not ready within {} seconds", START_LIMIT.as_secs())
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        let Some(server) = &mut self.server else {
            return;
        };
        if ends(server, Shutdown::Fast) || ends(server, Shutdown::Immediate) {
            return;
        }
        let _ = server.kill();
        let _ = server.wait();
    }
}

/// Returns whether the server ends within the limit.
fn ends(server: &mut Child, shutdown: Shutdown) -> bool {
    let deadline = Instant::now() + STOP_LIMIT;
    let mut is_reported = false;
    while Instant::now() < deadline {
        // Checked before the signal is sent: afterwards its id may be reused.
        if !matches!(server.try_wait(), Ok(None)) {
            return true;
        }
        if !is_reported {
            if let Some(server) = i32::try_from(server.id()).ok().and_then(Pid::from_raw) {
                shutdown.tell(server);
            }
            is_reported = true;
        }
        thread::sleep(POLL);
    }
    false
}

fn initialise(
    programs: &Path,
    account: &Account,
    directory: &Path,
    password_file: &Path,
) -> Result<()> {
    let mut command = account.command(&programs.join("initdb"), directory);
    command
        .arg("--pgdata")
        .arg(data_of(directory))
        .arg("--pwfile")
        .arg(password_file)
        .args(["--username", SUPERUSER, "--auth", "scram-sha-256"])
        .args(["--encoding", "UTF8", "--locale", "C"])
        // Not byte order, so that tests notice a column without COLLATE "C".
        .args(["--locale-provider", "icu", "--icu-locale", "en"])
        .stdin(Stdio::null())
        .stdout(Stdio::null());
    let status = command.status().context("cannot start initdb")?;
    if !status.success() {
        bail!("cannot create a PostgreSQL cluster (version 15 or later is needed): {status}");
    }
    Ok(())
}

fn data_of(directory: &Path) -> PathBuf {
    directory.join("data")
}

fn newest_version(versions: &Path) -> Option<PathBuf> {
    let folders = fs::read_dir(versions).ok()?.flatten().filter_map(|entry| {
        let version = entry.file_name().to_str()?.parse::<u32>().ok()?;
        let programs = entry.path().join("bin");
        has_server(&programs).then_some((version, programs))
    });
    folders.max().map(|(_, programs)| programs)
}

fn has_server(folder: &Path) -> bool {
    folder.join("initdb").is_file() && folder.join("postgres").is_file()
}

/// 128 random bits, because every user of this machine can reach the port.
fn password() -> Result<String> {
    let mut bytes = [0; 16];
    File::open("/dev/urandom")
        .and_then(|mut source| source.read_exact(&mut bytes))
        .context("cannot read /dev/urandom")?;
    Ok(format!("{:032x}", u128::from_ne_bytes(bytes)))
}

fn end_of(log: &str) -> String {
    let lines = log.lines().collect::<Vec<_>>();
    let start = lines.len().saturating_sub(20);
    lines.get(start..).unwrap_or_default().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpStream;
    use std::process::Command;

    #[test]
    fn the_newest_complete_version_is_taken() {
        let versions = tempfile::tempdir().unwrap();
        let put = |version: &str, program: &str| {
            let folder = versions.path().join(version).join("bin");
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join(program), "").unwrap();
        };
        assert_eq!(newest_version(versions.path()), None);
        for version in ["9", "15"] {
            put(version, "initdb");
            put(version, "postgres");
        }
        put("17", "psql");
        put("common", "initdb");
        let expected = versions.path().join("15/bin");
        assert_eq!(newest_version(versions.path()), Some(expected));
    }

    #[test]
    fn passwords_differ() {
        let (one, other) = (password().unwrap(), password().unwrap());
        assert_eq!(one.len(), 32);
        assert_ne!(one, other);
    }

    #[test]
    fn a_cluster_starts_answers_and_leaves_nothing() {
        let mut cluster = Cluster::start().unwrap();
        let directory = cluster.directory.path().to_owned();
        assert_eq!(cluster.ask("SHOW fsync").unwrap(), "on");
        assert_eq!(cluster.ask("SHOW server_encoding").unwrap(), "UTF8");
        // Alphabetical order, not byte order.
        assert_eq!(cluster.ask("SELECT 'a' < 'B'").unwrap(), "t");

        let address = cluster.address();
        let nobody = cluster
            .url()
            .replace(&format!("{SUPERUSER}:"), "posthaste:wrong");
        let refused = Command::new(cluster.program("psql"))
            .args(["--no-psqlrc", &nobody, "-c", "SELECT 1"])
            .output()
            .unwrap();
        assert!(!refused.status.success(), "a wrong password was accepted");

        cluster.ask("CREATE TABLE notes (note text)").unwrap();
        for shutdown in [Shutdown::Fast, Shutdown::Immediate, Shutdown::Kill] {
            let write = format!("INSERT INTO notes VALUES ('{shutdown:?}')");
            cluster.ask(&write).unwrap();
            cluster.stop(shutdown).unwrap();
            assert!(TcpStream::connect(&address).is_err(), "still listening");
            assert!(cluster.stop(shutdown).is_err(), "stopped twice");
            cluster.start_again().unwrap();
            assert!(cluster.start_again().is_err());
            let kept = format!("SELECT count(*) FROM notes WHERE note = '{shutdown:?}'");
            assert_eq!(cluster.ask(&kept).unwrap(), "1");
        }
        let log = cluster.log();
        for words in ["fast shutdown", "immediate shutdown", "redo done"] {
            assert!(log.contains(words), "{words}: {log}");
        }

        TcpStream::connect(&address).unwrap();
        drop(cluster);
        assert!(TcpStream::connect(&address).is_err(), "still listening");
        assert!(!directory.exists(), "files were left behind");
    }

    #[test]
    fn a_standby_has_every_commit_and_takes_over() {
        let mut primary = Cluster::start().unwrap();
        let standby = primary.synchronous_standby().unwrap();
        primary.ask("CREATE TABLE notes AS SELECT 1").unwrap();
        assert!(standby.ask("CREATE TABLE others ()").is_err());
        primary.stop(Shutdown::Kill).unwrap();
        standby.promote().unwrap();
        assert_eq!(standby.ask("SELECT count(*) FROM notes").unwrap(), "1");
        standby.ask("CREATE TABLE others ()").unwrap();
    }
}
