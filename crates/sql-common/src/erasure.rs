//! The tables `erasure_keys` and `erased_suppressions`: suppressions that outlive erased
//! subscribers.

use std::collections::HashMap;

use diesel::sql_types::{Binary, Bool, Text};
use newsletter::{
    store::{StoreError, WriteSet, remembered_as},
    subscriber::{Email, Remembered},
};

use crate::{
    entity, statement,
    stored::{digest, parse},
    types::Moment,
};

entity! {
    /// The suppression kept for the hash of an address.
    ErasedRow = erased_suppressions (hash) of ([u8; 32], Remembered) {
        fixed {
            hash: Binary = Blob(|(hash, _)| Some(hash)),
        }
        changing {
            status: Text = Text(|(_, remembered)| Some(remembered.status.as_str())),
            at: Moment = Time(|(_, remembered)| Some(remembered.at)),
        }
        apart {}
    }
}

impl TryFrom<ErasedRow> for Remembered {
    type Error = StoreError;

    fn try_from(row: ErasedRow) -> Result<Self, StoreError> {
        Ok(Self {
            status: parse(row.status, "erased_suppressions.status")?,
            at: row.at.time("erased_suppressions.at")?,
        })
    }
}

statement! {
    /// Reads the key of the hashes, and whether any hashes are stored.
    pub Key =
    "SELECT key, EXISTS (SELECT 1 FROM erased_suppressions WHERE hash >= '') \
     FROM erasure_keys WHERE singleton",
    returns (Binary, Bool)
}

/// The key of the hashes, and whether any are stored, from the rows that were read.
pub fn key(rows: Vec<(Vec<u8>, bool)>) -> Result<([u8; 32], bool), StoreError> {
    let missing = || StoreError::Broken("the table erasure_keys is empty".to_owned());
    let (key, are_there_any) = rows.into_iter().next().ok_or_else(missing)?;
    Ok((digest(&key, "erasure_keys.key")?, are_there_any))
}

/// Hashes these addresses with the key.
pub fn hashes<'a>(
    key: &[u8; 32],
    emails: impl IntoIterator<Item = &'a Email>,
) -> Result<HashMap<[u8; 32], &'a Email>, StoreError> {
    let emails = emails.into_iter();
    emails
        .map(|email| Ok((remembered_as(key, email)?, email)))
        .collect()
}

/// The suppressions that a commit keeps of the subscribers it erases.
pub fn erased(
    key: &[u8; 32],
    writes: &WriteSet,
) -> Result<Vec<([u8; 32], Remembered)>, StoreError> {
    let at = writes.tasks.at;
    let purges = writes.purges.values();
    purges
        .filter_map(|purge| Some((&purge.email, purge.remember?)))
        .map(|(email, status)| Ok((remembered_as(key, email)?, Remembered { status, at })))
        .collect()
}
