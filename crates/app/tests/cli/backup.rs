//! What a backup holds, and what `restore` refuses.

use std::{fs, os::unix::fs::PermissionsExt as _, path::Path, process::Command};

use tempfile::{TempDir, tempdir};

use super::{check_refused, database::check_private, run, text};

fn succeeds(folder: &TempDir, arguments: &[&str]) -> String {
    let output = run(folder, arguments, &[]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stdout).to_owned()
}

/// Runs a command that is refused, and returns what it says.
fn refused(folder: &TempDir, arguments: &[&str]) -> String {
    let output = run(folder, arguments, &[]);
    let said = text(&output.stderr).to_owned();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
    said
}

/// A folder with a database, a client and a key in `data`, and a backup of them in `copy`.
fn backed_up() -> TempDir {
    let folder = tempdir().unwrap();
    succeeds(&folder, &["keys", "generate"]);
    let create = [
        "clients",
        "create",
        "--name",
        "Ada",
        "--scope",
        "job-postings:read",
    ];
    succeeds(&folder, &create);
    fs::create_dir(folder.path().join("copy")).unwrap();
    fs::set_permissions(
        folder.path().join("copy"),
        fs::Permissions::from_mode(0o755),
    )
    .unwrap();
    let said = succeeds(&folder, &["backup", "copy"]);
    assert!(said.contains("1 key, and a database"), "{said}");
    assert!(said.contains("0 postings, 1 clients"), "{said}");
    folder
}

#[test]
fn a_backup_is_private_and_comes_back_whole() {
    let folder = backed_up();
    check_private(&folder, "copy");
    let names = |path: &str| -> Vec<String> {
        let entries = fs::read_dir(folder.path().join(path)).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<_> = names.collect();
        names.sort();
        names
    };
    assert_eq!(names("copy"), ["keys", "manifest.json", "posthaste.db"]);
    let keys = names("data/keys");
    fs::rename(folder.path().join("data"), folder.path().join("old")).unwrap();
    succeeds(&folder, &["restore", "copy"]);
    assert_eq!(names("data/keys"), keys);
    assert_eq!(names("data"), ["keys", "posthaste.db"]);
    check_private(&folder, "data");
    assert!(succeeds(&folder, &["clients", "list"]).contains("Ada"));
    let said = refused(&folder, &["restore", "copy"]);
    assert!(
        said.contains("posthaste.db is there; stop the service"),
        "{said}"
    );
}

#[test]
fn a_restore_that_was_broken_off_may_be_run_again() {
    let folder = backed_up();
    fs::remove_file(folder.path().join("data/posthaste.db")).unwrap();
    succeeds(&folder, &["restore", "copy"]);
    assert!(succeeds(&folder, &["clients", "list"]).contains("Ada"));
}

#[test]
fn nothing_is_overwritten() {
    let folder = backed_up();
    let said = refused(&folder, &["backup", "copy"]);
    assert!(said.contains("copy is not empty"), "{said}");
    fs::remove_file(folder.path().join("data/posthaste.db")).unwrap();
    fs::write(folder.path().join("data/posthaste.db-wal"), "").unwrap();
    let said = refused(&folder, &["restore", "copy"]);
    assert!(said.contains("posthaste.db-wal is there"), "{said}");
    fs::remove_file(folder.path().join("data/posthaste.db-wal")).unwrap();
    succeeds(&folder, &["migrate"]);
    succeeds(&folder, &["keys", "generate"]);
    fs::remove_file(folder.path().join("data/posthaste.db")).unwrap();
    let said = refused(&folder, &["restore", "copy"]);
    assert!(said.contains("the backup does not hold it"), "{said}");
    assert!(!folder.path().join("data/posthaste.db").exists());
}

/// A change to a backup.
type Change = fn(&Path);

#[test]
fn what_is_not_as_it_was_backed_up_is_not_restored() {
    let changes: [(&str, Change); 6] = [
        ("no complete backup", |copy| {
            fs::remove_file(copy.join("manifest.json")).unwrap();
        }),
        ("cannot be read as a manifest", |copy| {
            fs::write(copy.join("manifest.json"), "{\"format\":1").unwrap();
        }),
        ("has the form 2", |copy| {
            let path = copy.join("manifest.json");
            let text = fs::read_to_string(&path).unwrap();
            fs::write(path, text.replace("\"format\": 1", "\"format\": 2")).unwrap();
        }),
        ("is not as it was backed up", |copy| {
            let path = copy.join("posthaste.db");
            let mut bytes = fs::read(&path).unwrap();
            *bytes.last_mut().unwrap() ^= 1;
            fs::write(path, bytes).unwrap();
        }),
        ("cannot read", |copy| {
            fs::remove_file(copy.join("posthaste.db")).unwrap();
        }),
        ("does not name it", |copy| {
            fs::write(copy.join("keys/another"), "").unwrap();
        }),
    ];
    let folder = backed_up();
    fs::rename(folder.path().join("data"), folder.path().join("old")).unwrap();
    for (expected, change) in changes {
        let copy = folder.path().join("changed");
        copy_folder(&folder.path().join("copy"), &copy);
        change(&copy);
        let said = refused(&folder, &["restore", "changed"]);
        assert!(said.contains(expected), "{expected}: {said}");
        assert!(!folder.path().join("data").exists(), "{expected}");
        fs::remove_dir_all(copy).unwrap();
    }
}

fn copy_folder(from: &Path, to: &Path) {
    let status = Command::new("cp").arg("-a").arg(from).arg(to).status();
    assert!(status.unwrap().success());
}

#[test]
fn of_a_service_on_postgresql_the_keys_are_backed_up() {
    let folder = tempdir().unwrap();
    succeeds(&folder, &["keys", "generate"]);
    let variables = [("DATABASE_URL", "postgres://nobody@127.0.0.1:1/nowhere")];
    let output = run(&folder, &["backup", "copy"], &variables);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("pg_dump --format=custom --file=copy/"));
    fs::remove_dir_all(folder.path().join("data")).unwrap();
    check_refused(
        &folder,
        &[],
        &["restore", "copy"],
        "DATABASE_URL: copy holds the keys",
    );
    let output = run(&folder, &["restore", "copy"], &variables);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(
        fs::read_dir(folder.path().join("data/keys"))
            .unwrap()
            .count(),
        1
    );
    let other = backed_up();
    let begin = "DATABASE_URL: copy holds an embedded database";
    check_refused(&other, &variables, &["restore", "copy"], begin);
}
