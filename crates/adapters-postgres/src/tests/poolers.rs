use std::{
    fs,
    net::{TcpListener, TcpStream},
    path::PathBuf,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use domain::store::{Health, Store};

use super::{Database, create, patient, texts};
use crate::{PostgresOptions, PostgresStore};

/// `PgBouncer` in session mode, with a minimal configuration.
struct PgBouncer {
    process: Child,
    folder: PathBuf,
    port: u16,
}

impl PgBouncer {
    /// `None` if it is not installed.
    fn before(database: &Database) -> Option<Self> {
        let program = ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer"]
            .into_iter()
            .find(|path| PathBuf::from(path).exists())?;
        let text = database.text_url();
        let authority = text.split('/').nth(2).unwrap();
        let (user, server) = authority.rsplit_once('@').unwrap();
        let (user, password) = user.split_once(':').unwrap_or((user, ""));
        let (host, server_port) = server.rsplit_once(':').unwrap_or((server, "5432"));
        let name = text.split('/').nth(3).unwrap().split('?').next().unwrap();
        let folder = std::env::temp_dir().join(format!("{name}_pgbouncer"));
        fs::create_dir_all(&folder).unwrap();
        let port = TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        let configuration = format!(
            "[databases]\n\
             {name} = host={host} port={server_port} user={user} password={password}\n\
             [pgbouncer]\n\
             listen_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir =\n\
             auth_type = any\npool_mode = session\n"
        );
        let file = folder.join("pgbouncer.ini");
        fs::write(&file, configuration).unwrap();
        let mut command = Command::new(program);
        // `PgBouncer` refuses to run as root.
        if fs::metadata("/proc/self").is_ok_and(|process| {
            use std::os::unix::fs::MetadataExt as _;

            process.uid() == 0
        }) {
            command.args(["-u", "nobody"]);
        }
        let process = command
            .arg(&file)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let pooler = Self {
            process,
            folder,
            port,
        };
        let start = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(start.elapsed().as_secs() < 20, "PgBouncer does not start");
            std::thread::sleep(Duration::from_millis(20));
        }
        Some(pooler)
    }

    fn url(&self, database: &Database) -> String {
        let text = database.text_url();
        let name = text.split('/').nth(3).unwrap();
        format!("postgres://anybody@127.0.0.1:{}/{name}", self.port)
    }
}

impl Drop for PgBouncer {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn settings_pass_through_a_pooler() {
    let database = Database::migrated();
    let Some(pooler) = PgBouncer::before(&database) else {
        println!("PgBouncer is not installed");
        return;
    };
    let options = PostgresOptions {
        lock_timeout: Duration::from_millis(1_234),
        ..patient()
    };
    let url = pooler.url(&database).parse().unwrap();
    let store = PostgresStore::open(&url, &options).await.unwrap();
    for n in 0..10 {
        store.commit(create(n)).await.unwrap();
    }
    assert_eq!(store.ready().await, Ok(()));
    for (name, value) in [
        ("lock_timeout", "1234ms"),
        ("statement_timeout", "1min"),
        ("plan_cache_mode", "force_generic_plan"),
        ("max_parallel_workers_per_gather", "0"),
        ("application_name", "posthaste"),
    ] {
        let setting = format!("SELECT current_setting('{name}') AS value");
        assert_eq!(texts(&store, &setting).await, [value], "{name}");
    }
}
