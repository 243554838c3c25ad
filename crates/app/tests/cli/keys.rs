use std::{
    fs,
    os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown},
    path::{Path, PathBuf},
};

use serde_json::json;

use super::{Place, text};

fn generate(place: &Place) -> (String, PathBuf) {
    let id = place.says("keys generate").trim().to_owned();
    let file = place.path("data/keys").join(&id);
    (id, file)
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn keys_live_from_generation_to_retirement() {
    let place = Place::new();
    let (first, file) = generate(&place);
    let list = place.says("keys list");
    assert!(list.contains(&first) && list.contains("signs"), "{list}");
    let refusal = |id: &str| format!("{id} is the last usable key");
    let said = place.fails(&format!("keys retire {first}"));
    assert!(said.starts_with(&refusal(&first)), "{said}");
    assert!(file.exists());

    let (second, _) = generate(&place);
    let said = place.fails(&format!("keys retire {first}"));
    let needed = format!("{first} is needed until ");
    assert!(said.starts_with(&needed), "{said}");
    place.says(&format!("keys retire {first} --force"));
    let said = place.fails(&format!("keys retire {second}"));
    assert!(said.starts_with(&refusal(&second)), "{said}");
    place.says(&format!("keys retire {second} --force"));
    let said = place.fails(&format!("keys retire {first}"));
    assert!(
        said.starts_with(&format!("there is no key {first}")),
        "{said}"
    );
}

#[test]
fn a_key_that_the_folders_owner_cannot_read_is_marked_and_does_not_count() {
    let place = Place::new();
    let (old, file) = generate(&place);
    // Only root can give a file to another user, so that the folder's owner cannot read it.
    let unusable = if file.metadata().unwrap().uid() == 0 {
        chown(file.parent().unwrap(), Some(4711), Some(4711)).unwrap();
        chown(&file, Some(4711), Some(4711)).unwrap();
        let (new, file) = generate(&place);
        assert_eq!(file.metadata().unwrap().uid(), 4711);
        chown(&file, Some(0), Some(0)).unwrap();
        new
    } else {
        let (new, file) = generate(&place);
        fs::write(file, "no key any more").unwrap();
        new
    };
    let all = place.json("keys list --json");
    let states = [0, 1].map(|n| json!([all[n]["key"], all[n]["state"]]));
    assert_eq!(
        states,
        [json!([old, "signs"]), json!([unusable, "unusable"])]
    );
    assert_eq!(place.json("keys list --json --limit 1"), json!([all[0]]));
    let list = place.says("keys list");
    for (id, usage) in [(&unusable, "unusable"), (&old, "signs")] {
        let row = list.lines().find(|row| row.contains(id)).unwrap();
        assert!(row.contains(usage), "{list}");
    }
    place.fails(&format!("keys retire {old}"));
    place.says(&format!("keys retire {unusable}"));
}

#[test]
fn keys_that_others_can_use_stop_the_start_with_the_command_that_protects_them() {
    let place = Place::new();
    let (_, file) = generate(&place);
    let keys = file.parent().unwrap();
    fs::remove_file(place.path("data/posthaste.db")).unwrap();
    let postgres = [("DATABASE_URL", "postgres://u@127.0.0.1:1/d")];
    for (path, wide, private, command) in [
        (file.as_path(), 0o644, 0o600, "chmod 600 ./data/keys/"),
        (keys, 0o775, 0o700, "chmod go-w ./data/keys"),
    ] {
        set_mode(path, wide);
        let begin = "users other than the owner can read or replace the token signing keys; run: ";
        place.refuses("serve", &postgres, begin);
        for line in ["serve", "demo --data-dir data", "keys generate"] {
            place.refuses(line, &[], begin);
        }
        let said = place.run("serve", &[]);
        assert!(text(&said.stderr).contains(command), "{command}");
        assert!(place.says("keys list").contains("other users can "));
        set_mode(path, private);
    }
    assert!(!place.path("data/posthaste.db").exists());
}

#[test]
fn what_becomes_of_keys_is_in_the_audit_or_is_not_done() {
    let place = Place::new();
    let ((first, _), (second, _)) = (generate(&place), generate(&place));
    let retire = format!("keys retire {first} --force --operator ann");
    place.says(&retire);
    place.fails(&retire);
    let said = place.json("audit --json");
    let said = said.as_array().unwrap().iter();
    let said: Vec<_> = said
        .map(|of| json!([of["action"], of["subject"]]))
        .collect();
    let expect = [
        json!(["keys.generate", first]),
        json!(["keys.generate", second]),
        json!(["keys.retire", first]),
    ];
    assert_eq!(said, expect);
    let away = [("DATABASE_URL", "postgres://u@127.0.0.1:1/d")];
    for line in ["keys generate", &format!("keys retire {second} --force")] {
        let said = place.fails_with(line, &away);
        assert!(said.starts_with("nothing was done, because"), "{said}");
    }
    assert_eq!(place.names("data/keys").len(), 1);
}
