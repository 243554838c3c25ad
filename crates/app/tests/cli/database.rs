use std::{
    fs,
    io::{BufRead as _, BufReader},
    os::unix::fs::PermissionsExt as _,
    path::Path,
    process::{Command, Stdio},
};

use rustix::process::Signal;

use super::{Place, signal, text};

/// Every command that needs a database and creates none; `ID` names nothing.
const COMMANDS: &str = "\
    worker --admin-bind off
    clients list
    clients revoke ID
    postings list
    postings show a
    postings approve a
    postings reject a --reason spam
    postings feature a
    outbox list
    outbox retry --all-dead
    subscribers show ada@example.com
    subscribers import -
    subscribers migrate --all --source manual
    subscribers export
    subscribers erase ada@example.com
    webhooks list
    webhooks show ID
    webhooks pause ID
    webhooks resume ID
    webhooks rotate ID
    webhooks test ID
    webhooks replay ID --since 2026-03-01
    webhooks deliveries ID
    webhooks delete ID
    backup copy
    copy --to postgres://nobody@127.0.0.1:1/nowhere
    doctor";
const CREATE: &str = "clients create --name Scraper --scope job-postings:write";

#[test]
fn a_command_in_the_wrong_folder_makes_no_database() {
    let place = Place::new();
    let (usual, elsewhere) = (
        place.path("data/posthaste.db"),
        place.path("nowhere/at/all.db"),
    );
    let url = format!("sqlite://{}", elsewhere.display());
    for command in COMMANDS.replace("ID", super::NOBODY).lines() {
        let begin = format!(
            "there is no database at {}; correct POSTHASTE_DATA_DIR or DATABASE_URL",
            usual.display()
        );
        place.refuses(command, &[], &begin);
        let begin = format!("there is no database at {};", elsewhere.display());
        place.refuses(command, &[("DATABASE_URL", &url)], &begin);
    }
    assert!(place.names("").is_empty(), "nothing was made");
}

#[test]
fn what_is_made_is_for_its_owner_only() {
    for command in ["migrate", "keys generate", CREATE] {
        let place = Place::new();
        let mut shell = Command::new("sh");
        shell
            .args([
                "-c",
                "umask 0; exec \"$@\"",
                "sh",
                env!("CARGO_BIN_EXE_posthaste"),
            ])
            .args(command.split(' '))
            .current_dir(place.0.path())
            .env_clear();
        let made = shell.output().unwrap();
        assert!(made.status.success(), "{}", text(&made.stderr));
        check_private(&place.path("data"));
    }
}

pub fn check_private(path: &Path) {
    let about = path.metadata().unwrap();
    let mode = about.permissions().mode() & 0o777;
    let expected = if about.is_dir() { 0o700 } else { 0o600 };
    assert_eq!(mode, expected, "{}", path.display());
    for entry in path.read_dir().into_iter().flatten() {
        check_private(&entry.unwrap().path());
    }
}

fn serve_for_a_moment(place: &Place) {
    let line = "serve --bind 127.0.0.1:0 --admin-bind off --console-bind off";
    let mut serve = place.command(line);
    let serve = serve.stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = serve.spawn().unwrap();
    let mut line = String::new();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    stdout.read_line(&mut line).unwrap();
    assert!(line.starts_with("Posthaste listens on "), "{line}");
    signal(&child, Signal::TERM);
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_database_that_is_gone_is_not_created_again_unless_asked() {
    let place = Place::new();
    place.says("keys generate");
    serve_for_a_moment(&place);
    let database = place.path("data/posthaste.db");
    assert!(database.exists());
    for file in ["posthaste.db", "posthaste.db-wal", "posthaste.db-shm"] {
        let _ = fs::remove_file(place.path("data").join(file));
    }
    let begin = format!(
        "the database {} is missing, but {} is still there; restore the database",
        database.display(),
        place.path("data/keys").display()
    );
    let serve = "serve --bind 127.0.0.1:0 --admin-bind off";
    for command in [serve, CREATE, "demo --data-dir data", "keys generate"] {
        place.refuses(command, &[], &begin);
    }
    assert!(!database.exists());
    place.says("migrate");
    serve_for_a_moment(&place);
}

#[test]
fn what_sqlite_left_behind_is_a_sign_of_a_database() {
    let place = Place::new();
    fs::create_dir(place.path("data")).unwrap();
    place.write("data/posthaste.db-wal", "");
    let begin = format!(
        "the database {} is missing, but {} is still there;",
        place.path("data/posthaste.db").display(),
        place.path("data/posthaste.db-wal").display()
    );
    place.refuses("serve", &[], &begin);
}
