//! Client secrets: 256 random bits, of which only the SHA-256 is stored.
//!
//! With so much randomness, a slow hash would add load but no security.

use std::fmt;

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use ring::{
    digest::{SHA256, digest},
    rand::{SecureRandom as _, SystemRandom},
};
use subtle::ConstantTimeEq as _;

/// The system returned no random numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the system gave no random numbers")]
pub struct NoRandom;

/// The secret of a new client, shown once.
pub struct ClientSecret(String);

impl ClientSecret {
    /// Generates a secret.
    pub fn generate() -> Result<Self, NoRandom> {
        random_text::<32>(&SystemRandom::new()).map(Self)
    }

    /// The secret itself: 43 characters of base64url, which no encoding of HTTP changes.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// The SHA-256, which is stored.
    pub fn digest(&self) -> [u8; 32] {
        secret_digest(self.0.as_bytes())
    }
}

impl fmt::Debug for ClientSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ClientSecret(…)")
    }
}

/// SHA-256 of a secret.
pub(crate) fn secret_digest(secret: &[u8]) -> [u8; 32] {
    let mut bytes = [0; 32];
    bytes.copy_from_slice(digest(&SHA256, secret).as_ref());
    bytes
}

/// Whether the secret has this digest. Takes the same time for any result, even without a digest.
pub(crate) fn secret_matches(secret: &[u8], digest: Option<&[u8; 32]>) -> bool {
    let equal = secret_digest(secret).ct_eq(digest.unwrap_or(&[0; 32]));
    bool::from(equal) & digest.is_some()
}

/// Random bytes as base64url.
pub(crate) fn random_text<const BYTES: usize>(random: &SystemRandom) -> Result<String, NoRandom> {
    let mut bytes = [0; BYTES];
    random.fill(&mut bytes).map_err(|_| NoRandom)?;
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_has_256_bits_and_matches_only_its_digest() {
        let secret = ClientSecret::generate().unwrap();
        let other = ClientSecret::generate().unwrap();
        assert_eq!(URL_SAFE_NO_PAD.decode(secret.expose()).unwrap().len(), 32);
        assert_ne!(secret.expose(), other.expose());
        assert!(secret_matches(
            secret.expose().as_bytes(),
            Some(&secret.digest())
        ));
        assert!(!secret_matches(
            secret.expose().as_bytes(),
            Some(&other.digest())
        ));
        assert!(!secret_matches(secret.expose().as_bytes(), None));
    }

    #[test]
    fn the_digest_is_plain_sha256() {
        let expected = "ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0";
        assert_eq!(URL_SAFE_NO_PAD.encode(secret_digest(b"abc")), expected);
    }

    #[test]
    fn debug_output_hides_the_secret() {
        let secret = ClientSecret::generate().unwrap();
        assert!(!format!("{secret:?}").contains(secret.expose()));
    }
}
