//! Signing keys: what an operator can do with them, and what is refused.

use std::{
    fs,
    os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown},
    path::{Path, PathBuf},
};

use tempfile::{TempDir, tempdir};

use super::{check_refused, run, text};

/// Makes a key and gives its id and its file.
fn generate(folder: &TempDir) -> (String, PathBuf) {
    let made = run(folder, &["keys", "generate"], &[]);
    assert_eq!(made.status.code(), Some(0), "{}", text(&made.stderr));
    let id = text(&made.stdout).trim().to_owned();
    let file = folder.path().join("data/keys").join(&id);
    (id, file)
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

fn list(folder: &TempDir) -> String {
    let listed = run(folder, &["keys", "list"], &[]);
    assert_eq!(listed.status.code(), Some(0), "{}", text(&listed.stderr));
    text(&listed.stdout).to_owned()
}

#[test]
fn keys_live_from_generation_to_retirement() {
    let folder = tempdir().unwrap();
    let (first, file) = generate(&folder);
    assert!(file.exists());
    assert!(list(&folder).contains(&first) && list(&folder).contains("signs"));

    let refused = run(&folder, &["keys", "retire", &first], &[]);
    assert_eq!(refused.status.code(), Some(1));
    let begin = format!("error: {first} is the last key that can be used");
    let said = text(&refused.stderr);
    assert!(
        said.starts_with(&begin) && said.lines().count() == 1,
        "{said}"
    );
    assert!(file.exists());

    let (second, _) = generate(&folder);
    let retire = |arguments: &[&str]| {
        let arguments = [&["keys", "retire"], arguments].concat();
        run(&folder, &arguments, &[]).status.code()
    };
    assert_eq!(retire(&[&first]), Some(0));
    assert_eq!(retire(&[&second]), Some(1));
    assert_eq!(retire(&[&second, "--force"]), Some(0));

    let again = run(&folder, &["keys", "retire", &first], &[]);
    assert_eq!(again.status.code(), Some(1));
    assert!(text(&again.stderr).starts_with(&format!("error: there is no key {first}")));
    check_refused(
        &folder,
        &[],
        &["keys", "retire", "x"],
        "KID: \"x\" is not a key id",
    );
}

#[test]
fn a_key_that_the_folders_owner_cannot_read_is_marked_and_does_not_count() {
    let folder = tempdir().unwrap();
    let (old, file) = generate(&folder);
    // Only root can make files that others cannot read, and give them away.
    let unusable = if file.metadata().unwrap().uid() == 0 {
        let keys = file.parent().unwrap();
        chown(keys, Some(4711), Some(4711)).unwrap();
        chown(&file, Some(4711), Some(4711)).unwrap();
        let (new, file) = generate(&folder);
        assert_eq!(file.metadata().unwrap().uid(), 4711);
        chown(&file, Some(0), Some(0)).unwrap();
        new
    } else {
        let (new, file) = generate(&folder);
        fs::write(file, "no key any more").unwrap();
        new
    };
    let listed = list(&folder);
    let row = listed.lines().find(|row| row.contains(&unusable)).unwrap();
    assert!(row.contains("cannot be used: "), "{listed}");
    let row = listed.lines().find(|row| row.contains(&old)).unwrap();
    assert!(row.contains("signs and verifies"), "{listed}");

    let refused = run(&folder, &["keys", "retire", &old], &[]);
    assert_eq!(refused.status.code(), Some(1), "{}", text(&refused.stdout));
    let retired = run(&folder, &["keys", "retire", &unusable], &[]);
    assert_eq!(retired.status.code(), Some(0), "{}", text(&retired.stderr));
}

#[test]
fn keys_that_others_can_use_stop_the_start_with_the_command_that_mends_them() {
    let folder = tempdir().unwrap();
    let (_, file) = generate(&folder);
    let keys = file.parent().unwrap();
    fs::remove_file(folder.path().join("data/posthaste.db")).unwrap();
    let postgres = [("DATABASE_URL", "postgres://u@127.0.0.1:1/d")];
    for (path, wide, private, command) in [
        (file.as_path(), 0o644, 0o600, "chmod 600 ./data/keys/"),
        (keys, 0o775, 0o700, "chmod go-w ./data/keys"),
    ] {
        set_mode(path, wide);
        for (variables, arguments) in [
            (&[] as &[_], &["serve"] as &[_]),
            (&postgres, &["serve"]),
            (&[], &["demo", "--data-dir", "data"]),
            (&[], &["keys", "generate"]),
        ] {
            let begin = "others than their owner can read or replace the token signing keys; run: ";
            check_refused(&folder, variables, arguments, begin);
        }
        let said = run(&folder, &["serve"], &[]);
        assert!(
            text(&said.stderr).contains(command),
            "{}",
            text(&said.stderr)
        );
        assert!(list(&folder).contains("cannot be used: others can "));
        set_mode(path, private);
    }
    assert!(!folder.path().join("data/posthaste.db").exists());
}

#[test]
fn what_becomes_of_keys_is_in_the_audit_or_is_not_done() {
    let folder = tempdir().unwrap();
    let (first, _) = generate(&folder);
    let (second, _) = generate(&folder);
    let retire = ["keys", "retire", &first, "--operator", "ann"];
    assert_eq!(run(&folder, &retire, &[]).status.code(), Some(0));
    assert_eq!(run(&folder, &retire, &[]).status.code(), Some(1));
    let said = run(&folder, &["audit", "--json"], &[]);
    let said: Vec<serde_json::Value> = serde_json::from_str(text(&said.stdout)).unwrap();
    let said: Vec<_> = said
        .iter()
        .map(|of| (&of["action"], &of["subject"]))
        .collect();
    let expect = [
        ("keys.generate".into(), first.as_str().into()),
        ("keys.generate".into(), second.as_str().into()),
        ("keys.retire".into(), first.into()),
    ];
    let expect: [(serde_json::Value, serde_json::Value); 3] = expect;
    assert_eq!(
        said,
        expect.each_ref().map(|(action, subject)| (action, subject))
    );

    let away = [("DATABASE_URL", "postgres://u@127.0.0.1:1/d")];
    for command in [
        &["keys", "generate"][..],
        &["keys", "retire", &second, "--force"],
    ] {
        let refused = run(&folder, command, &away);
        assert_eq!(refused.status.code(), Some(1));
        let said = text(&refused.stderr);
        assert!(
            said.starts_with("error: nothing was done, because"),
            "{said}"
        );
    }
    let keys = fs::read_dir(folder.path().join("data/keys")).unwrap();
    assert_eq!(keys.count(), 1);
}

#[test]
fn keys_are_listed_as_json_too() {
    let folder = tempdir().unwrap();
    let (old, _) = generate(&folder);
    let (new, file) = generate(&folder);
    fs::write(file, "no key any more").unwrap();
    let shown = |arguments: &[&str]| -> Vec<serde_json::Value> {
        let output = run(
            &folder,
            &[&["keys", "list", "--json"], arguments].concat(),
            &[],
        );
        serde_json::from_str(text(&output.stdout)).unwrap()
    };
    let all = shown(&[]);
    assert_eq!(
        (&all[0]["key"], &all[0]["state"]),
        (&old.into(), &"signs".into())
    );
    assert_eq!(
        (&all[1]["key"], &all[1]["state"]),
        (&new.into(), &"unusable".into())
    );
    assert!(all[1]["problem"].is_string() && all[0]["problem"].is_null());
    assert_eq!(shown(&["--limit", "1"]), all[..1]);
}
