use std::{
    fs,
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus},
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use pg_cluster::free_port;
use rustix::process::{Pid, Resource, Rlimit, Signal, kill_process, prlimit};
use serde_json::Value;
use tempfile::TempDir;

use super::{CommandResult, Database, SETTLING, Store, program, raw, raw::Raw, run};

const PATIENCE: Duration = SETTLING;

/// An installation with one database, one key folder and one address. A site outlives its
/// processes.
pub struct Site {
    pub database: Arc<Database>,
    folder: Arc<TempDir>,
    port: u16,
    admin_port: u16,
    is_watched: bool,
    variables: Vec<(String, String)>,
}

impl Site {
    pub fn new(store: Store) -> Self {
        Self::with_database(Database::current(store))
    }

    pub fn migrated(self) -> Self {
        self.run(&["migrate"]).succeeded();
        self
    }

    pub fn on(url: &str) -> Self {
        Self::with_database(Database::Other(url.to_owned()))
    }

    pub fn with_database(database: Database) -> Self {
        let url = database.url().map(|url| ("DATABASE_URL".to_owned(), url));
        let site = Self {
            database: Arc::new(database),
            folder: Arc::new(TempDir::with_prefix("posthaste-e2e-").unwrap()),
            port: free_port().unwrap(),
            admin_port: free_port().unwrap(),
            is_watched: false,
            variables: url.into_iter().collect(),
        };
        // All sites beside this one share the public URL.
        let public = site.url();
        site.with("POSTHASTE_PUBLIC_URL", &public)
    }

    /// A site for a second server, which shares everything but the address.
    pub fn beside(&self) -> Self {
        Self {
            database: Arc::clone(&self.database),
            folder: Arc::clone(&self.folder),
            port: free_port().unwrap(),
            admin_port: free_port().unwrap(),
            is_watched: self.is_watched,
            variables: self.variables.clone(),
        }
    }

    pub fn moved_to(&self, url: &str) -> Self {
        let variable = ("DATABASE_URL".to_owned(), url.to_owned());
        Self {
            database: Arc::new(Database::Other(url.to_owned())),
            folder: Arc::clone(&self.folder),
            variables: self.variables.iter().cloned().chain([variable]).collect(),
            ..*self
        }
    }

    /// See [`Site::admin`]. Each of several concurrent processes needs its own site
    /// [beside](Site::beside).
    pub fn watched(mut self) -> Self {
        self.is_watched = true;
        self
    }

    pub fn admin(&self) -> String {
        format!("127.0.0.1:{}", self.admin_port)
    }

    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.host())
    }

    pub fn host(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    pub fn log(&self) -> String {
        fs::read_to_string(self.log_path()).unwrap_or_default()
    }

    fn log_path(&self) -> PathBuf {
        self.folder.path().join("server.log")
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = program::command();
        command
            .args(arguments)
            .env("POSTHASTE_DATA_DIR", self.data())
            .env("POSTHASTE_BIND", self.host())
            .current_dir(self.folder.path());
        let admin = if self.is_watched {
            self.admin()
        } else {
            "off".to_owned()
        };
        command.env("POSTHASTE_ADMIN_BIND", admin);
        command.env("POSTHASTE_CONSOLE_BIND", "off");
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }

    /// Creates signing keys. On SQLite the service does that itself, on PostgreSQL the operator has
    /// to.
    fn ensure_keys(&self) {
        let is_embedded = matches!(*self.database, Database::Sqlite);
        if !is_embedded && !self.data().join("keys").exists() {
            self.run(&["keys", "generate"]).succeeded();
        }
    }

    pub fn run(&self, arguments: &[&str]) -> CommandResult {
        run(self.command(arguments), "")
    }

    pub fn json(&self, arguments: &[&str]) -> Value {
        serde_json::from_str(&self.run(arguments).succeeded()).unwrap()
    }

    pub fn waiting(&self) -> Vec<Value> {
        self.outbox(&[])
    }

    pub fn outbox(&self, option: &[&str]) -> Vec<Value> {
        let list = ["outbox", "list", "--limit", "1000000", "--json"];
        let rows = self.json(&[&list, option].concat());
        rows.as_array().unwrap().clone()
    }

    pub fn serve(&self, arguments: &[&str]) -> Server {
        self.ensure_keys();
        let mut command = self.command(&["serve"]);
        command.args(arguments);
        self.start(command)
    }

    pub fn work(&self) -> Server {
        let mut command = self.command(&["worker"]);
        command.env("POSTHASTE_ADMIN_BIND", "off");
        self.spawn(command)
    }

    pub fn begin(&self, arguments: &[&str]) -> Server {
        self.spawn(self.command(arguments))
    }

    /// The command of the demo. The demo chooses its folder, database and ports.
    pub fn demo(&self, arguments: &[&str]) -> Command {
        let mut command = self.command(&["demo"]);
        command.args(arguments);
        for name in [
            "POSTHASTE_DATA_DIR",
            "POSTHASTE_PUBLIC_URL",
            "POSTHASTE_BIND",
            "POSTHASTE_ADMIN_BIND",
            "POSTHASTE_CONSOLE_BIND",
        ] {
            command.env_remove(name);
        }
        command
    }

    fn spawn(&self, mut command: Command) -> Server {
        let log = fs::File::options()
            .create(true)
            .append(true)
            .open(self.log_path())
            .unwrap();
        let child = command
            .stdout(log.try_clone().unwrap())
            .stderr(log)
            .spawn()
            .unwrap();
        Server { child }
    }

    fn start(&self, command: Command) -> Server {
        let mut server = self.spawn(command);
        let start = Instant::now();
        while !self.is_ready() {
            let ended = server.child.try_wait().unwrap();
            assert!(
                ended.is_none() && start.elapsed() < PATIENCE,
                "the server does not start ({ended:?}):\n{}",
                self.log()
            );
            thread::sleep(Duration::from_millis(20));
        }
        server
    }

    fn is_ready(&self) -> bool {
        Raw::connect(&self.host()).is_ok_and(|mut connection| {
            connection.send(raw::request("GET", "/readyz", &[]));
            connection.answer() == Some(200)
        })
    }
}

pub struct Server {
    child: Child,
}

impl Server {
    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    pub fn terminate(&self) {
        kill_process(self.pid(), Signal::TERM).unwrap();
    }

    pub fn interrupt(&self) {
        kill_process(self.pid(), Signal::INT).unwrap();
    }

    fn pid(&self) -> Pid {
        Pid::from_raw(i32::try_from(self.child.id()).unwrap()).unwrap()
    }

    /// Limits the size of files that the server writes (`ulimit -f`), or removes the limit.
    pub fn limit_files(&self, bytes: Option<u64>) {
        let limit = Rlimit {
            current: bytes,
            maximum: None,
        };
        prlimit(Some(self.pid()), Resource::Fsize, limit).unwrap();
    }

    pub fn is_running(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    pub fn stopped(mut self) -> ExitStatus {
        let start = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            assert!(start.elapsed() < PATIENCE, "the server does not stop");
            thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
