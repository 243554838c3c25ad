//! Which commands make an embedded database, and where none is made.

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use tempfile::{TempDir, tempdir};

use super::{check_refused, posthaste, run, text};

/// Every command that needs a database and makes none.
const COMMANDS: [&[&str]; 27] = [
    &["worker", "--admin-bind", "off"],
    &["clients", "list"],
    &["clients", "revoke", "019a3c5e-0000-7000-8000-000000000000"],
    &["postings", "list"],
    &["postings", "show", "a"],
    &["postings", "approve", "a"],
    &["postings", "reject", "a", "--reason", "spam"],
    &["postings", "feature", "a"],
    &["outbox", "list"],
    &["outbox", "retry", "--all-dead"],
    &["subscribers", "show", "ada@example.com"],
    &["subscribers", "import", "-"],
    &["subscribers", "migrate", "--all", "--source", "manual"],
    &["subscribers", "export"],
    &["subscribers", "erase", "ada@example.com"],
    &["webhooks", "list"],
    &["webhooks", "show", WEBHOOK],
    &["webhooks", "pause", WEBHOOK],
    &["webhooks", "resume", WEBHOOK],
    &["webhooks", "rotate", WEBHOOK],
    &["webhooks", "test", WEBHOOK],
    &["webhooks", "replay", WEBHOOK, "--since", "2026-03-01"],
    &["webhooks", "deliveries", WEBHOOK],
    &["webhooks", "delete", WEBHOOK],
    &["backup", "copy"],
    &["copy", "--to", "postgres://nobody@127.0.0.1:1/nowhere"],
    &["doctor"],
];
const WEBHOOK: &str = "019a3c5e-0000-7000-8000-000000000000";
const CREATE: [&str; 6] = [
    "clients",
    "create",
    "--name",
    "Scraper",
    "--scope",
    "job-postings:write",
];

#[test]
fn a_command_in_the_wrong_folder_makes_no_database() {
    let folder = tempdir().unwrap();
    let elsewhere = folder.path().join("nowhere/at/all.db");
    let url = format!("sqlite://{}", elsewhere.display());
    for command in COMMANDS {
        let begin = format!(
            "there is no database at {}; correct POSTHASTE_DATA_DIR or DATABASE_URL",
            folder.path().join("data/posthaste.db").display()
        );
        check_refused(&folder, &[], command, &begin);
        let begin = format!("there is no database at {};", elsewhere.display());
        check_refused(&folder, &[("DATABASE_URL", &url)], command, &begin);
    }
    let made = fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(made, 0, "nothing was made");
}

#[test]
fn what_is_made_is_for_its_owner_only() {
    for command in [&["migrate"] as &[_], &["keys", "generate"], &CREATE] {
        let folder = tempdir().unwrap();
        let posthaste = env!("CARGO_BIN_EXE_posthaste");
        let mut shell = Command::new("sh");
        shell
            .args(["-c", "umask 0; exec \"$@\"", "sh", posthaste])
            .args(command)
            .current_dir(folder.path())
            .env_clear();
        let made = shell.output().unwrap();
        assert!(made.status.success(), "{}", text(&made.stderr));
        check_private(&folder, "data");
    }
}

/// Checks that nobody but the owner can do anything with what is there.
pub fn check_private(folder: &TempDir, path: &str) {
    let path = folder.path().join(path);
    let about = path.metadata().unwrap();
    let mode = about.permissions().mode() & 0o777;
    let expected = if about.is_dir() { 0o700 } else { 0o600 };
    assert_eq!(mode, expected, "{}", path.display());
    for entry in path.read_dir().into_iter().flatten() {
        check_private(folder, entry.unwrap().path().to_str().unwrap());
    }
}

/// Runs `posthaste serve` until it listens, and stops it.
fn serve_for_a_moment(folder: &TempDir) {
    let mut child = posthaste(folder.path(), &["serve", "--bind", "127.0.0.1:0"])
        .env("POSTHASTE_ADMIN_BIND", "off")
        .env("POSTHASTE_CONSOLE_BIND", "off")
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let mut stdout = std::io::BufReader::new(child.stdout.take().unwrap());
    std::io::BufRead::read_line(&mut stdout, &mut line).unwrap();
    assert!(line.starts_with("Posthaste listens on "), "{line}");
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    wait(&mut child);
}

fn wait(child: &mut Child) {
    let start = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if start.elapsed() > Duration::from_secs(30) {
            let _ = child.kill();
            panic!("the server does not stop");
        }
        thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_database_that_is_gone_is_not_made_anew_unless_told_so() {
    let folder = tempdir().unwrap();
    assert!(run(&folder, &["keys", "generate"], &[]).status.success());
    serve_for_a_moment(&folder);
    let database = folder.path().join("data/posthaste.db");
    assert!(database.exists());
    for file in ["posthaste.db", "posthaste.db-wal", "posthaste.db-shm"] {
        let _ = fs::remove_file(folder.path().join("data").join(file));
    }
    let serve = ["serve", "--bind", "127.0.0.1:0", "--admin-bind", "off"];
    let begin = format!(
        "the database {} is gone, but {} is still there; put the database back",
        database.display(),
        folder.path().join("data/keys").display()
    );
    let (demo, generate) = (["demo", "--data-dir", "data"], ["keys", "generate"]);
    for command in [&serve as &[_], &CREATE, &demo, &generate] {
        check_refused(&folder, &[], command, &begin);
    }
    assert!(!database.exists());

    assert!(run(&folder, &["migrate"], &[]).status.success());
    serve_for_a_moment(&folder);
}

#[test]
fn what_sqlite_left_behind_is_a_sign_of_a_database() {
    let folder = tempdir().unwrap();
    fs::create_dir(folder.path().join("data")).unwrap();
    let log = folder.path().join("data/posthaste.db-wal");
    fs::write(&log, "").unwrap();
    let begin = format!(
        "the database {} is gone, but {} is still there;",
        folder.path().join("data/posthaste.db").display(),
        log.display()
    );
    check_refused(&folder, &[], &["serve"], &begin);
}
