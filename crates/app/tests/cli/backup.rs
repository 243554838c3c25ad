use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::Command,
};

use super::{Place, database::check_private, text};

fn backed_up() -> Place {
    let place = Place::new();
    place.says("keys generate");
    place.says("clients create --name Ada --scope job-postings:read");
    let copy = place.path("copy");
    fs::create_dir(&copy).unwrap();
    fs::set_permissions(&copy, fs::Permissions::from_mode(0o755)).unwrap();
    let said = place.says("backup copy");
    assert!(said.contains("1 key, and a database"), "{said}");
    assert!(said.contains("0 postings, 1 clients"), "{said}");
    place
}

#[test]
fn a_backup_is_private_and_comes_back_whole() {
    let place = backed_up();
    check_private(&place.path("copy"));
    assert_eq!(
        place.names("copy"),
        ["keys", "manifest.json", "posthaste.db"]
    );
    let keys = place.names("data/keys");
    fs::rename(place.path("data"), place.path("old")).unwrap();
    place.says("restore copy");
    assert_eq!(place.names("data/keys"), keys);
    assert_eq!(place.names("data"), ["keys", "posthaste.db"]);
    check_private(&place.path("data"));
    assert!(place.says("clients list").contains("Ada"));
    let said = place.fails("restore copy");
    assert!(
        said.contains("posthaste.db already exists; stop the service"),
        "{said}"
    );
}

#[test]
fn a_restore_that_was_broken_off_may_be_run_again() {
    let place = backed_up();
    fs::remove_file(place.path("data/posthaste.db")).unwrap();
    place.says("restore copy");
    assert!(place.says("clients list").contains("Ada"));
}

#[test]
fn nothing_is_overwritten() {
    let place = backed_up();
    let (database, log) = (
        place.path("data/posthaste.db"),
        place.path("data/posthaste.db-wal"),
    );
    let said = place.fails("backup copy");
    assert!(said.contains("copy is not empty"), "{said}");
    fs::remove_file(&database).unwrap();
    fs::write(&log, "").unwrap();
    let said = place.fails("restore copy");
    assert!(said.contains("posthaste.db-wal already exists"), "{said}");
    fs::remove_file(log).unwrap();
    place.says("migrate");
    place.says("keys generate");
    fs::remove_file(&database).unwrap();
    let said = place.fails("restore copy");
    assert!(said.contains("is not in the backup"), "{said}");
    assert!(!database.exists());
}

type Damage = fn(&Path);

fn change(path: PathBuf, change: impl FnOnce(Vec<u8>) -> Vec<u8>) {
    let bytes = fs::read(&path).unwrap();
    fs::write(path, change(bytes)).unwrap();
}

#[test]
fn what_is_not_as_it_was_backed_up_is_not_restored() {
    let changes: [(&str, Damage); 6] = [
        ("not a complete backup", |copy| {
            fs::remove_file(copy.join("manifest.json")).unwrap();
        }),
        ("cannot be read as a manifest", |copy| {
            change(copy.join("manifest.json"), |_| b"{\"format\":1".into());
        }),
        ("has format 2", |copy| {
            change(copy.join("manifest.json"), |text| {
                let text = String::from_utf8(text).unwrap();
                text.replace("\"format\": 1", "\"format\": 2").into()
            });
        }),
        ("has changed since the backup", |copy| {
            change(copy.join("posthaste.db"), |mut bytes| {
                *bytes.last_mut().unwrap() ^= 1;
                bytes
            });
        }),
        ("cannot read", |copy| {
            fs::remove_file(copy.join("posthaste.db")).unwrap();
        }),
        ("does not list it", |copy| {
            fs::write(copy.join("keys/another"), "").unwrap();
        }),
    ];
    let place = backed_up();
    fs::rename(place.path("data"), place.path("old")).unwrap();
    for (expected, change) in changes {
        let (from, copy) = (place.path("copy"), place.path("changed"));
        let copied = Command::new("cp").arg("-a").arg(from).arg(&copy).status();
        assert!(copied.unwrap().success());
        change(&copy);
        let said = place.fails("restore changed");
        assert!(said.contains(expected), "{expected}: {said}");
        assert!(!place.path("data").exists(), "{expected}");
        fs::remove_dir_all(copy).unwrap();
    }
}

#[test]
fn a_data_folder_that_is_not_there_is_no_backup() {
    let place = backed_up();
    place.says_with("migrate", &[("DATABASE_URL", "sqlite://a.db")]);
    for url in ["postgres://user@127.0.0.1:1/nowhere", "sqlite://a.db"] {
        let variables = [("DATABASE_URL", url), ("POSTHASTE_DATA_DIR", "gone")];
        let output = place.run("backup new", &variables);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.contains("no usable key in gone/keys"), "{said}");
        assert!(said.contains("POSTHASTE_DATA_DIR"), "{said}");
        assert!(!place.path("new").exists());
    }
}

#[test]
fn of_a_service_on_postgresql_the_keys_are_backed_up() {
    let place = Place::new();
    place.says("keys generate");
    let variables = [("DATABASE_URL", "postgres://user@127.0.0.1:1/nowhere")];
    let said = place.says_with("backup copy", &variables);
    assert!(
        said.contains("pg_dump --format=custom --file=copy/"),
        "{said}"
    );
    fs::remove_dir_all(place.path("data")).unwrap();
    place.refuses("restore copy", &[], "DATABASE_URL: copy holds the keys");
    place.says_with("restore copy", &variables);
    assert_eq!(place.names("data/keys").len(), 1);
    let begin = "DATABASE_URL: copy holds an embedded database";
    backed_up().refuses("restore copy", &variables, begin);
}
