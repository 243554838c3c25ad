use runtime::clock;
use tokens::{KeyFolder, KeyId};
use uuid::{NoContext, Timestamp, Uuid};

use crate::misconfigured::Misconfigured;

pub fn refuse_exposed(folder: &KeyFolder) -> anyhow::Result<()> {
    match folder.exposure()? {
        None => Ok(()),
        Some(line) => Err(Misconfigured(line).into()),
    }
}

/// The id of a new key. It holds the store's time, from which every process computes when the key
/// begins to sign.
pub fn new_id() -> anyhow::Result<KeyId> {
    let now = clock::now();
    let seconds = now.unix_timestamp().try_into()?;
    let at = Timestamp::from_unix(NoContext, seconds, now.nanosecond());
    Ok(KeyId::new(Uuid::new_v7(at))?)
}
