//! Tokens for the fuzz target.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use ring::rand::SystemRandom;
use time::OffsetDateTime;
use tokens::{KeyFolder, KeyId, KeySet, TokenFault, Tokens};
use uuid::Uuid;

pub struct Issuer {
    tokens: Tokens,
    keys: KeySet,
    random: SystemRandom,
}

impl Issuer {
    pub fn new(name: &str) -> Option<Self> {
        let folder = tempfile::tempdir().ok()?;
        let folder = KeyFolder::new(folder.path().join("keys"));
        folder.generate(KeyId::new(Uuid::now_v7()).ok()?).ok()?;
        Some(Self {
            tokens: Tokens::new(name.to_owned()),
            keys: folder.list().ok()?,
            random: SystemRandom::new(),
        })
    }

    pub fn sign(&self, claims: &[u8]) -> Option<String> {
        let key = self.keys.keys().first()?;
        let header = format!(r#"{{"alg":"ES256","typ":"at+jwt","kid":"{}"}}"#, key.id());
        let mut token = URL_SAFE_NO_PAD.encode(header);
        token.push('.');
        URL_SAFE_NO_PAD.encode_string(claims, &mut token);
        let signature = key.sign(&self.random, token.as_bytes()).ok()?;
        token.push('.');
        URL_SAFE_NO_PAD.encode_string(signature.as_ref(), &mut token);
        Some(token)
    }

    pub fn verify(&self, token: &str, now: OffsetDateTime) -> Result<i64, TokenFault> {
        let verified = self.tokens.verify(token, &self.keys, now)?;
        Ok(verified.expires_at)
    }
}
