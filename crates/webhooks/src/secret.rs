//! Secrets that sign deliveries.

use std::fmt;

use base64::{Engine as _, engine::general_purpose::STANDARD};

const PREFIX: &str = "whsec_";

const SHORTEST: usize = 24;
const LONGEST: usize = 64;

/// A key of Standard Webhooks 1.0: `whsec_` and the base64 of 24 to 64 bytes.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Box<[u8]>);

/// Why a text or bytes are no secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidSecret {
    /// The text is not `whsec_` and base64.
    #[error("must be {PREFIX} and base64")]
    Malformed,
    /// The key is too short or too long.
    #[error("must be of {SHORTEST} to {LONGEST} bytes")]
    Length,
}

impl Secret {
    /// Wraps a random or stored key.
    pub fn new(key: impl Into<Box<[u8]>>) -> Result<Self, InvalidSecret> {
        let key = key.into();
        if (SHORTEST..=LONGEST).contains(&key.len()) {
            Ok(Self(key))
        } else {
            Err(InvalidSecret::Length)
        }
    }

    /// Wraps a new key of random bytes.
    pub fn drawn(key: [u8; 32]) -> Self {
        Self(Box::new(key))
    }

    /// Parses the text of a secret.
    pub fn parse(text: &str) -> Result<Self, InvalidSecret> {
        let encoded = text.strip_prefix(PREFIX).ok_or(InvalidSecret::Malformed)?;
        let key = STANDARD.decode(encoded);
        Self::new(key.map_err(|_| InvalidSecret::Malformed)?)
    }

    /// The text for the receiver's operator, who sees it only once.
    pub fn reveal(&self) -> String {
        format!("{PREFIX}{}", STANDARD.encode(&self.0))
    }

    /// The key.
    pub const fn key(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of the specification.
    const TEXT: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

    #[test]
    fn a_secret_comes_back_from_its_text() {
        let secret = Secret::parse(TEXT).unwrap();
        assert_eq!(secret.key().len(), 24);
        assert_eq!(secret.reveal(), TEXT);
        assert_eq!(Secret::new(secret.key()), Ok(secret));
        let padded = Secret::new([255; 25]).unwrap();
        assert!(padded.reveal().ends_with("/w=="));
        assert_eq!(Secret::parse(&padded.reveal()), Ok(padded));
    }

    #[test]
    fn other_texts_are_no_secrets() {
        for text in [
            "",
            "whsec_?",
            "WHSEC_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
            "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
            "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw=",
            "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n",
            "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLa-_",
        ] {
            assert_eq!(Secret::parse(text), Err(InvalidSecret::Malformed), "{text}");
        }
        for length in [0, SHORTEST - 1, LONGEST + 1] {
            assert_eq!(Secret::new(vec![1; length]), Err(InvalidSecret::Length));
        }
        assert!(Secret::new(vec![1; LONGEST]).is_ok());
        assert_eq!(Secret::parse("whsec_"), Err(InvalidSecret::Length));
    }

    #[test]
    fn debug_output_does_not_show_a_secret() {
        let secret = Secret::new([77; 24]).unwrap();
        assert_eq!(
            format!("{secret:?} {:#?}", [&secret]),
            "Secret(…) [\n    Secret(…),\n]"
        );
    }
}
