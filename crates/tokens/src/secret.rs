//! Client secrets: 256 random bits, stored as SHA-256. A slow hash would add no security.

use std::fmt;

use access::MOST_SECRETS;
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use ring::{
    digest::{SHA256, digest},
    rand::{SecureRandom as _, SystemRandom},
};
use subtle::{Choice, ConstantTimeEq as _};

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the system returned no random numbers")]
pub struct NoRandom;

pub struct ClientSecret(String);

impl ClientSecret {
    pub fn generate() -> Result<Self, NoRandom> {
        random_text::<32>(&SystemRandom::new()).map(Self)
    }

    /// 43 characters of base64url, which need no escaping in HTTP.
    pub fn expose(&self) -> &str {
        &self.0
    }

    pub fn digest(&self) -> [u8; 32] {
        secret_digest(self.0.as_bytes())
    }
}

impl fmt::Debug for ClientSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ClientSecret(…)")
    }
}

pub fn secret_digest(secret: &[u8]) -> [u8; 32] {
    let mut bytes = [0; 32];
    bytes.copy_from_slice(digest(&SHA256, secret).as_ref());
    bytes
}

/// Finds a secret among the first [`MOST_SECRETS`] digests, in a time that depends neither on the
/// result nor on their number.
pub fn matching_digest<'a>(
    secret: &[u8],
    digests: impl IntoIterator<Item = &'a [u8; 32]>,
) -> Option<[u8; 32]> {
    let digest = secret_digest(secret);
    let mut digests = digests.into_iter();
    let mut matches = Choice::from(0);
    for _ in 0..MOST_SECRETS {
        let stored = digests.next();
        let is_stored = Choice::from(u8::from(stored.is_some()));
        matches |= digest.ct_eq(stored.unwrap_or(&[0; 32])) & is_stored;
    }
    bool::from(matches).then_some(digest)
}

pub fn random_text<const BYTES: usize>(random: &SystemRandom) -> Result<String, NoRandom> {
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
        let (own, others) = (secret.digest(), other.digest());
        for (digests, matches) in [
            (&[own][..], true),
            (&[own, others], true),
            (&[others, own], true),
            (&[others], false),
            (&[others, [0; 32]], false),
            (&[], false),
        ] {
            let found = matching_digest(secret.expose().as_bytes(), digests);
            assert_eq!(found, matches.then_some(own), "{digests:?}");
        }
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
