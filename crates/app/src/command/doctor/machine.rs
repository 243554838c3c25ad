//! Checks this machine: the signing keys, the disk, and the public URL.

use std::path::Path;

use runtime::clock::{self, TOLERANCE};
use tokens::KeyFolder;

use super::check::Check;
use crate::{args::HttpArgs, database::url::DatabaseUrl, output, serve::exposure};

const KEYS: &str = "keys";
const DISK: &str = "disk";
const PUBLIC_URL: &str = "public-url";

/// The free space that an embedded database needs, for several logs of the store and a bulk load.
const MIN_FREE_BYTES: u64 = 512 * MEGABYTE;
const OLD_KEY: time::Duration = time::Duration::days(365);
const MEGABYTE: u64 = 1 << 20;

pub fn keys(folder: &KeyFolder, database: &DatabaseUrl) -> Vec<Check> {
    let keys = match folder.list_for_owner() {
        Ok(keys) => keys,
        Err(error) => {
            let remedy = "check that this user may read the folder";
            return vec![Check::wrong(KEYS, error.to_string(), remedy)];
        }
    };
    let mut checks: Vec<_> = keys
        .problems()
        .iter()
        .map(|problem| {
            let remedy = problem.command().map_or_else(
                || "fix it, or remove it from the folder".to_owned(),
                |command| format!("run `{command}`"),
            );
            let message = format!("{}: {}", problem.path().display(), problem.fault());
            Check::wrong(KEYS, message, remedy)
        })
        .collect();
    let now = clock::now();
    if let Some(key) = keys
        .keys()
        .iter()
        .find(|key| key.id().created_at() > now + TOLERANCE)
    {
        checks.push(Check::wrong(
            KEYS,
            format!(
                "{} is from {}, in the future by this machine's clock",
                key.id(),
                output::time(key.id().created_at())
            ),
            "set this machine's clock by NTP; if it is right, create a new key and retire this one",
        ));
    }
    let many = keys.keys().len();
    match keys.signing(now) {
        Some(key) if now - key.id().created_at() > OLD_KEY => checks.push(Check::doubtful(
            KEYS,
            format!(
                "{} signs, and is from {}; {many} can be used",
                key.id(),
                output::time(key.id().created_at())
            ),
            "make another with `posthaste keys generate`, and retire this one when its last token \
             has expired",
        )),
        Some(key) => checks.push(Check::good(
            KEYS,
            format!("{} signs; {many} can be used", key.id()),
        )),
        None if !database.is_embedded() => checks.push(Check::wrong(
            KEYS,
            format!("{} holds no token signing key", folder.path().display()),
            "run `posthaste keys generate`, and give every process this folder",
        )),
        None if checks.is_empty() => {
            checks.push(Check::good(KEYS, "none yet; `posthaste serve` creates one"));
        }
        None => {}
    }
    checks
}

pub fn disk(database: &DatabaseUrl) -> Check {
    let DatabaseUrl::Sqlite(path) = database else {
        return Check::good(
            DISK,
            "the database is on its server; nothing here needs room",
        );
    };
    let folder = backup::folder_of(path);
    match backup::free_space(folder) {
        Ok(bytes) => free_space(folder, bytes),
        Err(error) => Check::wrong(
            DISK,
            format!("{} cannot be inspected: {error}", folder.display()),
            "check that this user may read the folder",
        ),
    }
}

fn free_space(folder: &Path, bytes: u64) -> Check {
    let message = format!("{} MiB are free in {}", bytes / MEGABYTE, folder.display());
    if bytes < MIN_FREE_BYTES {
        let remedy = format!(
            "make room; at least {} MiB must be free",
            MIN_FREE_BYTES / MEGABYTE
        );
        Check::wrong(DISK, message, remedy)
    } else {
        Check::good(DISK, message)
    }
}

pub fn public_url(http: &HttpArgs) -> Check {
    let url = http.place.url();
    if exposure::in_the_clear(&url) {
        return Check::wrong(
            PUBLIC_URL,
            format!("{url}: client secrets and tokens would travel in the clear"),
            "put a proxy with TLS in front, and its https address into POSTHASTE_PUBLIC_URL",
        );
    }
    Check::good(PUBLIC_URL, url)
}

#[cfg(test)]
mod tests {
    use tokens::KeyId;
    use uuid::{NoContext, Timestamp, Uuid};

    use super::*;

    #[test]
    fn a_key_from_the_future_is_wrong() {
        let folder = tempfile::tempdir().unwrap();
        let keys_of = |seconds: i64| {
            let at = clock::now().unix_timestamp() + seconds;
            let at = Timestamp::from_unix(NoContext, at.try_into().unwrap(), 0);
            let folder = KeyFolder::new(folder.path().join(seconds.to_string()));
            let id = KeyId::new(Uuid::new_v7(at)).unwrap();
            folder.generate(id).unwrap();
            keys(&folder, &DatabaseUrl::Sqlite("posthaste.db".into()))
        };
        assert!(keys_of(0).iter().all(|check| check.ok));
        let found = keys_of(60);
        assert!(!found[0].ok, "{found:?}");
        assert!(found[0].message.contains("in the future"), "{found:?}");
    }

    #[test]
    fn too_little_room_is_wrong() {
        for (bytes, is_good) in [
            (0, false),
            (MIN_FREE_BYTES - 1, false),
            (MIN_FREE_BYTES, true),
        ] {
            assert_eq!(free_space(Path::new("."), bytes).ok, is_good, "{bytes}");
        }
    }
}
