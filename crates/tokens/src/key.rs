use std::{fmt, str::FromStr, sync::Arc};

use ring::{
    rand::SystemRandom,
    signature::{
        ECDSA_P256_SHA256_FIXED, EcdsaKeyPair, KeyPair as _, Signature, UnparsedPublicKey,
    },
};
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use crate::problem::KeyProblem;

/// A key starts to sign at this age. Without an older key it signs at once.
pub const SIGNS_AFTER: Duration = Duration::seconds(30);

#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    #[error("{0:?} is not a key id; a key id is a UUIDv7 in lower case with hyphens")]
    Id(String),
    #[error("key {0} already exists")]
    Exists(KeyId),
    #[error("{path}: {source}")]
    Io {
        path: String,
        source: std::io::Error,
    },
    #[error("cannot generate a key: the system returned no random numbers")]
    Random,
}

/// A key's id, the `kid` of a token's header.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct KeyId(Uuid);

impl KeyId {
    pub fn new(uuid: Uuid) -> Result<Self, KeyError> {
        if uuid.get_version_num() == 7 && uuid.get_variant() == uuid::Variant::RFC4122 {
            Ok(Self(uuid))
        } else {
            Err(KeyError::Id(uuid.to_string()))
        }
    }

    /// The time in the UUIDv7.
    pub fn created_at(self) -> OffsetDateTime {
        let (seconds, nanos) = self
            .0
            .get_timestamp()
            .map_or((0, 0), |timestamp| timestamp.to_unix());
        i64::try_from(seconds)
            .ok()
            .and_then(|seconds| OffsetDateTime::from_unix_timestamp(seconds).ok())
            .map_or(OffsetDateTime::UNIX_EPOCH, |at| {
                at + Duration::nanoseconds(nanos.into())
            })
    }
}

impl fmt::Display for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for KeyId {
    type Err = KeyError;

    /// Accepts only the spelling of [`fmt::Display`], so that each id has one file name.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let id = text
            .parse()
            .map_err(|_| KeyError::Id(text.to_owned()))
            .and_then(Self::new)
            .map_err(|_| KeyError::Id(text.to_owned()))?;
        if id.to_string() == text {
            Ok(id)
        } else {
            Err(KeyError::Id(text.to_owned()))
        }
    }
}

#[derive(Debug)]
pub struct Key {
    pub(super) id: KeyId,
    pub(super) pair: EcdsaKeyPair,
    /// SHA-256 of the file, to detect changes.
    pub(super) source: [u8; 32],
}

impl Key {
    pub const fn id(&self) -> KeyId {
        self.id
    }

    /// The coordinates (x, y) of the public key.
    pub fn coordinates(&self) -> Option<(&[u8], &[u8])> {
        let point = self.pair.public_key().as_ref().strip_prefix(&[4])?;
        point.split_at_checked(32)
    }

    pub fn sign(
        &self,
        random: &SystemRandom,
        message: &[u8],
    ) -> Result<Signature, ring::error::Unspecified> {
        self.pair.sign(random, message)
    }

    pub fn verifies(&self, message: &[u8], signature: &[u8]) -> bool {
        UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, self.pair.public_key().as_ref())
            .verify(message, signature)
            .is_ok()
    }
}

/// Whether valid tokens may still depend on a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    Over,
    /// Its last token expires at this time at the latest.
    Until(OffsetDateTime),
    /// It signs new tokens or soon will, and there is no newer key.
    Signs,
}

#[derive(Clone, Debug, Default)]
pub struct KeySet {
    pub(super) keys: Vec<Arc<Key>>,
    pub(super) problems: Vec<KeyProblem>,
}

impl KeySet {
    /// The keys, oldest first.
    pub fn keys(&self) -> &[Arc<Key>] {
        &self.keys
    }

    /// The newest key that is old enough to sign, otherwise the oldest.
    pub fn signing(&self, now: OffsetDateTime) -> Option<&Arc<Key>> {
        self.keys
            .iter()
            .rev()
            .find(|key| key.id.created_at() + SIGNS_AFTER <= now)
            .or_else(|| self.keys.first())
    }

    /// Returns whether, and until when, valid tokens may depend on a key. A token is valid for
    /// `ttl`. A key signs until a newer key does.
    pub fn need_of(&self, id: KeyId, ttl: std::time::Duration, now: OffsetDateTime) -> Need {
        let is_known = self.find(id).is_some();
        if !is_known || self.signing(now).is_some_and(|key| key.id < id) {
            return Need::Over;
        }
        let Some(newer) = self.keys.iter().find(|key| key.id > id) else {
            return Need::Signs;
        };
        let end = newer.id.created_at() + SIGNS_AFTER + ttl;
        if end <= now {
            Need::Over
        } else {
            Need::Until(end)
        }
    }

    pub fn problems(&self) -> &[KeyProblem] {
        &self.problems
    }

    pub fn find(&self, id: KeyId) -> Option<&Arc<Key>> {
        self.keys
            .binary_search_by_key(&id, |key| key.id)
            .ok()
            .and_then(|at| self.keys.get(at))
    }

    /// Whether the set contains this very key, not only its id.
    pub fn holds(&self, key: &Arc<Key>) -> bool {
        self.find(key.id)
            .is_some_and(|known| Arc::ptr_eq(known, key))
    }
}
