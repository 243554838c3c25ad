//! SHA-256 over several parts.

use sha2::{Digest as _, Sha256};

/// Hashes the parts in order, each with its length. So moving characters from one part to the next
/// changes the digest.
pub fn of_parts<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> [u8; 32] {
    let mut hasher = Sha256::new();
    for part in parts {
        // `u64`, because the stored digests must not depend on the machine.
        hasher.update((part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    hasher.finalize().into()
}

/// Parses a digest that is written as 64 hexadecimal digits.
pub fn parse(text: &str) -> Option<[u8; 32]> {
    let mut digest = [0; 32];
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    if pairs.len() != digest.len() || !rest.is_empty() {
        return None;
    }
    for (byte, pair) in digest.iter_mut().zip(pairs) {
        *byte = u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?;
    }
    Some(digest)
}

/// Declares a type for one kind of SHA-256.
#[macro_export]
macro_rules! digest {
    ($(#[$meta:meta])* $name:ident) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name([u8; 32]);

        impl $name {
            /// Wraps stored bytes.
            pub const fn from_bytes(bytes: [u8; 32]) -> Self {
                Self(bytes)
            }

            /// The bytes for a store.
            pub const fn as_bytes(&self) -> &[u8; 32] {
                &self.0
            }
        }

        $crate::as_text!($name, |text| $crate::digest::parse(text).map(Self));

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                std::fmt::Display::fmt(self, f)
            }
        }
    };
}

pub use digest;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_kept_apart() {
        let of = |parts: [&str; 2]| of_parts(parts.map(str::as_bytes));
        assert_eq!(of(["ab", "c"]), of(["ab", "c"]));
        assert_ne!(of(["ab", "c"]), of(["a", "bc"]));
    }
}
