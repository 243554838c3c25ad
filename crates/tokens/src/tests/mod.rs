mod bad_tokens;
mod fixtures;

use std::{fs, os::unix::fs::PermissionsExt as _, path::Path, sync::Arc};

use tempfile::TempDir;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use super::*;

const START: i64 = 1_767_225_600;

fn at(seconds: i64) -> OffsetDateTime {
    OffsetDateTime::from_unix_timestamp(START + seconds).unwrap()
}

fn key_id(at: OffsetDateTime, n: u8) -> KeyId {
    let millis = u64::try_from(at.unix_timestamp_nanos() / 1_000_000).unwrap();
    KeyId::new(uuid::Builder::from_unix_timestamp_millis(millis, &[n; 10]).into_uuid()).unwrap()
}

fn folder() -> (TempDir, KeyFolder) {
    let directory = tempfile::tempdir().unwrap();
    let folder = KeyFolder::new(directory.path().join("data/keys"));
    (directory, folder)
}

/// Writes a file that only its owner can read, as key files must be.
fn write_private(path: &Path, content: &str) {
    fs::write(path, content).unwrap();
    set_mode(path, 0o600);
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

fn ids(keys: &KeySet) -> Vec<KeyId> {
    keys.keys().iter().map(|key| key.id()).collect()
}

#[test]
fn a_generated_key_is_a_private_file_named_by_its_id() {
    let (_directory, folder) = folder();
    let id = key_id(at(0), 1);
    folder.generate(id).unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let file = folder.path().join(id.to_string());
    assert_eq!(mode(folder.path()), 0o700);
    assert_eq!(mode(&file), 0o600);
    let pem = fs::read_to_string(file).unwrap();
    assert!(pem.starts_with("-----BEGIN PRIVATE KEY-----\n"), "{pem}");
    assert_eq!(
        fs::read_dir(folder.path()).unwrap().count(),
        1,
        "nothing is left behind"
    );
    assert!(matches!(folder.generate(id), Err(KeyError::Exists(_))));
}

#[test]
fn keys_are_listed_by_age_and_retired_by_id() {
    let (_directory, folder) = folder();
    assert!(
        folder.list().unwrap().keys().is_empty(),
        "no folder, no keys"
    );
    let [old, new] = [key_id(at(0), 1), key_id(at(1), 0)];
    folder.generate(new).unwrap();
    folder.generate(old).unwrap();
    assert_eq!(ids(&folder.list().unwrap()), [old, new]);
    assert!(folder.retire(old).unwrap());
    assert!(!folder.retire(old).unwrap());
    assert_eq!(ids(&folder.list().unwrap()), [new]);
}

#[test]
fn a_key_is_needed_until_its_last_token_ends() {
    let (_directory, folder) = folder();
    let [old, new] = [key_id(at(0), 0), key_id(at(100), 0)];
    folder.generate(old).unwrap();
    let need = |id, seconds| {
        let keys = folder.list().unwrap();
        keys.need_of(id, std::time::Duration::from_hours(1), at(seconds))
    };
    assert_eq!(need(old, 1_000_000), Need::Signs);
    assert_eq!(need(new, 100), Need::Over, "there is no such key");
    folder.generate(new).unwrap();
    for (seconds, of_old, of_new) in [
        (129, Need::Until(at(3_730)), Need::Over),
        (130, Need::Until(at(3_730)), Need::Signs),
        (3_729, Need::Until(at(3_730)), Need::Signs),
        (3_730, Need::Over, Need::Signs),
    ] {
        let needs = (need(old, seconds), need(new, seconds));
        assert_eq!(needs, (of_old, of_new), "{seconds}");
    }
}

#[test]
fn keys_of_openssl_are_read_with_or_without_the_extension() {
    let (_directory, folder) = folder();
    let [plain, named, both] = [key_id(at(0), 1), key_id(at(0), 2), key_id(at(0), 3)];
    folder.generate(both).unwrap();
    let generated = folder.list().unwrap();
    let write = |name: String| write_private(&folder.path().join(name), fixtures::OPENSSL_P256);
    write(plain.to_string());
    write(format!("{named}.pem"));
    write(format!("{both}.pem"));
    let keys = folder.list().unwrap();
    assert_eq!(ids(&keys), [plain, named, both]);
    assert_eq!(keys.problems(), []);
    assert_eq!(
        keys.keys()[2].coordinates(),
        generated.keys()[0].coordinates()
    );
    assert!(matches!(folder.generate(named), Err(KeyError::Exists(_))));
    assert!(folder.retire(named).unwrap());
    assert!(folder.retire(both).unwrap());
    assert_eq!(ids(&folder.list().unwrap()), [plain]);
}

#[test]
fn unusable_files_are_reported_and_skipped() {
    let (_directory, folder) = folder();
    let good = key_id(at(0), 0);
    folder.generate(good).unwrap();
    let check = |name: &str, content: &str, expected: &str| {
        let path = folder.path().join(name);
        write_private(&path, content);
        let keys = folder.list().unwrap();
        assert_eq!(ids(&keys), [good], "{name}");
        let [problem] = keys.problems() else {
            panic!("{name}: {:?}", keys.problems())
        };
        assert!(problem.to_string().contains(expected), "{problem}");
        assert_eq!(problem.path(), path);
        fs::remove_file(path).unwrap();
    };
    let id = key_id(at(0), 1).to_string();
    let upper = key_id(at(0), 0xab).to_string().to_uppercase();
    let half = &fixtures::OPENSSL_P256[..100];
    check(&id, "", "not a whole PEM file");
    check(&id, half, "not a whole PEM file");
    check(&id, fixtures::OPENSSL_P384, "not a P-256 key");
    check(&id, fixtures::OPENSSL_SEC1, "openssl pkcs8 -topk8");
    check(&id, &"x".repeat(20_000), "not a file of a key's size");
    check("README", "", "not a key id");
    check(&upper, fixtures::OPENSSL_P256, "not a key id");
    check(
        "01234567-89ab-4cde-8f01-23456789abcd",
        fixtures::OPENSSL_P256,
        "not a key id",
    );
    fs::create_dir(folder.path().join(&id)).unwrap();
    assert_eq!(folder.list().unwrap().problems().len(), 1);
    fs::write(folder.path().join(".hidden"), "").unwrap();
    assert_eq!(
        folder.list().unwrap().problems().len(),
        1,
        "hidden files are not looked at"
    );
}

#[test]
fn a_key_that_others_can_use_is_none() {
    let (_directory, folder) = folder();
    let [good, open] = [key_id(at(0), 0), key_id(at(0), 1)];
    folder.generate(good).unwrap();
    folder.generate(open).unwrap();
    let file = folder.path().join(open.to_string());
    let ring = KeyRing::open(folder.clone()).unwrap();
    assert_eq!(ids(&ring.current()), [good, open]);
    for mode in [0o604, 0o640, 0o620, 0o602, 0o644] {
        set_mode(&file, mode);
        let keys = folder.list().unwrap();
        assert_eq!(ids(&keys), [good], "{mode:o}");
        let problem = keys.problems()[0].to_string();
        assert!(problem.ends_with(&format!("; run: chmod 600 {}", file.display())));
        assert_eq!(
            folder.exposure().unwrap(),
            Some(format!(
                "users other than the owner can read or replace the token signing keys; run: chmod \
                 600 {}",
                file.display()
            ))
        );
    }
    ring.reload();
    assert_eq!(ids(&ring.current()), [good]);
    for mode in [0o600, 0o400] {
        set_mode(&file, mode);
        assert_eq!(ids(&folder.list().unwrap()), [good, open], "{mode:o}");
        assert_eq!(folder.exposure().unwrap(), None);
    }
}

#[test]
fn a_folder_that_others_can_write_to_has_no_key() {
    let (_directory, folder) = folder();
    let id = key_id(at(0), 0);
    folder.generate(id).unwrap();
    for mode in [0o777, 0o770, 0o720, 0o702, 0o1777] {
        set_mode(folder.path(), mode);
        assert_eq!(ids(&folder.list().unwrap()), [], "{mode:o}");
        let line = folder.exposure().unwrap().unwrap();
        let command = format!("; run: chmod go-w {}", folder.path().display());
        assert!(line.ends_with(&command), "{line}");
    }
    for mode in [0o755, 0o750, 0o700] {
        set_mode(folder.path(), mode);
        assert_eq!(ids(&folder.list().unwrap()), [id], "{mode:o}");
        assert_eq!(folder.exposure().unwrap(), None);
    }
}

#[test]
fn files_of_root_get_the_owner_of_their_folder() {
    use std::os::unix::fs::{MetadataExt as _, chown};

    let (directory, folder) = folder();
    let data = directory.path().join("data");
    fs::create_dir(&data).unwrap();
    let owner = |path: &Path| {
        let about = fs::metadata(path).unwrap();
        (about.uid(), about.gid())
    };
    // Only root can change owners. Without root, all files have the same owner.
    let is_root = owner(&data).0 == 0;
    if is_root {
        chown(&data, Some(4711), Some(4712)).unwrap();
    }
    let [first, second] = [key_id(at(0), 0), key_id(at(0), 1)];
    folder.generate(first).unwrap();
    folder.generate(second).unwrap();
    for id in [first, second] {
        let file = folder.path().join(id.to_string());
        assert_eq!(owner(&file), owner(&data));
    }
    assert_eq!(owner(folder.path()), owner(&data));
    assert_eq!(ids(&folder.list_for_owner().unwrap()), [first, second]);
    if is_root {
        let file = folder.path().join(second.to_string());
        chown(&file, Some(0), Some(0)).unwrap();
        assert_eq!(ids(&folder.list().unwrap()), [first, second]);
        let keys = folder.list_for_owner().unwrap();
        assert_eq!(ids(&keys), [first]);
        let problem = keys.problems()[0].to_string();
        let command = format!("; run: chown 4711:4712 {}", file.display());
        assert!(problem.ends_with(&command), "{problem}");
    }
}

#[test]
fn an_id_is_a_uuidv7_and_contains_its_time() {
    assert!(KeyId::new(Uuid::nil()).is_err());
    assert!(KeyId::new("01234567-89ab-4cde-8f01-23456789abcd".parse().unwrap()).is_err());
    let id = key_id(at(0) + Duration::milliseconds(7), 1);
    assert_eq!(id.created_at(), at(0) + Duration::milliseconds(7));
    assert_eq!(id.to_string().parse::<KeyId>().unwrap(), id);
    let latest: Uuid = "ffffffff-ffff-7fff-bfff-ffffffffffff".parse().unwrap();
    KeyId::new(latest).unwrap().created_at();
}

#[test]
fn the_newest_key_signs_once_it_is_old_enough() {
    let (_directory, folder) = folder();
    let [first, second, third] = [key_id(at(0), 0), key_id(at(100), 0), key_id(at(110), 0)];
    let check = |seconds: i64, expected: Option<KeyId>| {
        let keys = folder.list().unwrap();
        let signing = keys.signing(at(0) + Duration::milliseconds(seconds * 1000));
        assert_eq!(signing.map(|key| key.id()), expected, "at {seconds} s");
    };
    check(0, None);
    folder.generate(first).unwrap();
    check(0, Some(first));
    check(-60, Some(first));
    folder.generate(second).unwrap();
    folder.generate(third).unwrap();
    check(110, Some(first));
    check(129, Some(first));
    check(130, Some(second));
    check(139, Some(second));
    check(140, Some(third));
    folder.retire(first).unwrap();
    check(111, Some(second));
}

#[test]
fn an_unchanged_folder_gives_the_same_keys() {
    let (_directory, folder) = folder();
    folder.generate(key_id(at(0), 0)).unwrap();
    let ring = KeyRing::open(folder.clone()).unwrap();
    let before = ring.current();
    folder.generate(key_id(at(1), 0)).unwrap();
    ring.reload();
    let after = ring.current();
    assert!(Arc::ptr_eq(&before.keys()[0], &after.keys()[0]));
    assert_eq!(after.keys().len(), 2);
}
