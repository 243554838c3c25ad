//! SHA-256 over several parts.

use std::fmt;

use sha2::{Digest as _, Sha256};

/// The digest of the parts in this order. Each part's length is included, so characters cannot move
/// between neighbours unnoticed.
pub fn of_parts<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> [u8; 32] {
    let mut hasher = Sha256::new();
    for part in parts {
        // As 64 bits on every machine: digests are stored.
        hasher.update((part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    hasher.finalize().into()
}

/// Writes a digest in hexadecimal digits.
pub fn in_hex(digest: &[u8; 32], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    digest.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
}
