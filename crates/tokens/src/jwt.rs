//! Access tokens: JWTs of RFC 9068, signed with ES256.
//!
//! Other algorithms, encryption and critical extensions (`crit`) are refused on purpose. Keys and
//! addresses of keys in the header are ignored.

use std::sync::Arc;

use access::Scope;
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use kernel::ClientId;
use moka::sync::Cache;
use ring::rand::SystemRandom;
use serde::Serialize;
use serde_json::Value;
use time::OffsetDateTime;

use crate::{
    key::{Key, KeyId, KeySet},
    object::Object,
    secret::{NoRandom, random_text, secret_digest},
};

const MAX_TOKEN_BYTES: usize = 8 * 1024;
/// The size of the cache. Checking a signature costs a hundred times as much as a cache hit.
const REMEMBERED_TOKENS: u64 = 10_000;

const ALGORITHM: &str = "ES256";
const TYPE: &str = "at+jwt";

#[derive(Serialize)]
struct Header<'a> {
    alg: &'a str,
    typ: &'a str,
    kid: String,
}

#[derive(Serialize)]
struct Claims<'a> {
    iss: &'a str,
    aud: &'a str,
    sub: &'a str,
    client_id: &'a str,
    scope: &'a str,
    iat: i64,
    exp: i64,
    jti: String,
}

pub struct Grant<'a> {
    pub client_id: &'a str,
    pub scope: &'a str,
    pub issued_at: i64,
    /// The first second in which the token is no longer valid.
    pub expires_at: i64,
}

#[derive(Debug)]
pub struct VerifiedToken {
    pub client_id: ClientId,
    /// Scopes that this version does not know are left out.
    pub scopes: Vec<Scope>,
    pub issued_at: i64,
    /// The first second in which the token is no longer valid.
    pub expires_at: i64,
    not_before: Option<i64>,
    key: Arc<Key>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TokenFault {
    /// Also returned for a token that is too long.
    #[error("The access token is malformed.")]
    Malformed,
    #[error("The access token is not an ES256-signed at+jwt.")]
    Kind,
    #[error("The access token was not signed by a current key of this service.")]
    UnknownKey,
    #[error("The access token's signature is wrong.")]
    Signature,
    #[error("The access token was not issued by this service for itself.")]
    Audience,
    #[error("The access token's claims are incomplete or of a wrong type.")]
    Claims,
    #[error("The access token is not valid yet.")]
    NotYet,
    #[error("The access token has expired; request a new one.")]
    Expired,
    #[error("The access token's client was revoked.")]
    Revoked,
    #[error("The access token was ended by an operator; request a new one.")]
    Ended,
}

#[derive(Debug)]
pub struct Tokens {
    /// Also the audience of every token.
    pub issuer: String,
    random: SystemRandom,
    verified: Cache<[u8; 32], Arc<VerifiedToken>>,
}

impl Tokens {
    pub fn new(issuer: String) -> Self {
        Self {
            issuer,
            random: SystemRandom::new(),
            verified: Cache::new(REMEMBERED_TOKENS),
        }
    }

    pub fn mint(&self, key: &Key, grant: &Grant<'_>) -> Result<String, NoRandom> {
        let header = Header {
            alg: ALGORITHM,
            typ: TYPE,
            kid: key.id().to_string(),
        };
        let claims = Claims {
            iss: &self.issuer,
            aud: &self.issuer,
            sub: grant.client_id,
            client_id: grant.client_id,
            scope: grant.scope,
            iat: grant.issued_at,
            exp: grant.expires_at,
            jti: random_text::<16>(&self.random)?,
        };
        // Structs of strings and numbers always serialise, so `encode` does not fail here.
        let mut token = encode(&header).ok_or(NoRandom)?;
        token.push('.');
        token.push_str(&encode(&claims).ok_or(NoRandom)?);
        let signature = key
            .sign(&self.random, token.as_bytes())
            .map_err(|_| NoRandom)?;
        token.push('.');
        URL_SAFE_NO_PAD.encode_string(signature.as_ref(), &mut token);
        Ok(token)
    }

    /// Checks format, type, key, signature, issuer, audience, claims and expiry. A token that was
    /// verified before comes from the cache while its key is known.
    pub fn verify(
        &self,
        token: &str,
        keys: &KeySet,
        now: OffsetDateTime,
    ) -> Result<Arc<VerifiedToken>, TokenFault> {
        // The cache has only a hash, because the token itself is a secret.
        let (name, now) = (secret_digest(token.as_bytes()), now.unix_timestamp());
        let known = self.verified.get(&name);
        if let Some(known) = known.filter(|known| keys.holds(&known.key) && now < known.expires_at)
        {
            return Ok(known);
        }
        if token.len() > MAX_TOKEN_BYTES {
            return Err(TokenFault::Malformed);
        }
        let verified = Arc::new(self.verify_content(token, keys)?);
        if now >= verified.expires_at {
            return Err(TokenFault::Expired);
        }
        if verified.not_before.is_some_and(|start| now < start) {
            return Err(TokenFault::NotYet);
        }
        self.verified.insert(name, Arc::clone(&verified));
        Ok(verified)
    }

    fn verify_content(&self, token: &str, keys: &KeySet) -> Result<VerifiedToken, TokenFault> {
        let (signed, signature) = token.rsplit_once('.').ok_or(TokenFault::Malformed)?;
        let (header, claims) = signed
            .split_once('.')
            .filter(|(_, claims)| !claims.contains('.'))
            .ok_or(TokenFault::Malformed)?;
        let header = decode(header)?;
        let key = key_of(&header, keys)?;
        let signature = URL_SAFE_NO_PAD
            .decode(signature)
            .map_err(|_| TokenFault::Malformed)?;
        if !key.verifies(signed.as_bytes(), &signature) {
            return Err(TokenFault::Signature);
        }
        self.read_claims(&decode(claims)?, Arc::clone(key))
    }

    fn read_claims(&self, claims: &Object, key: Arc<Key>) -> Result<VerifiedToken, TokenFault> {
        if claims.text("iss") != Some(&self.issuer) || !self.is_for_us(claims) {
            return Err(TokenFault::Audience);
        }
        let expires_at = claims.integer("exp").ok_or(TokenFault::Claims)?;
        let issued_at = claims.integer("iat").ok_or(TokenFault::Claims)?;
        let not_before = match claims.get("nbf") {
            Some(start) => Some(start.as_i64().ok_or(TokenFault::Claims)?),
            None => None,
        };
        claims
            .text("jti")
            .filter(|id| !id.is_empty())
            .ok_or(TokenFault::Claims)?;
        // In this grant the client itself is the subject (RFC 9068 §2.2).
        let client_id = claims.text("client_id").ok_or(TokenFault::Claims)?;
        if claims.text("sub") != Some(client_id) {
            return Err(TokenFault::Claims);
        }
        let client_id = client_id.parse().map_err(|_| TokenFault::Claims)?;
        let scope = claims.text("scope").ok_or(TokenFault::Claims)?;
        // Scopes that this version does not know are ignored.
        let scopes = scope.split(' ').filter_map(Scope::parse).collect();
        Ok(VerifiedToken {
            client_id,
            scopes,
            issued_at,
            expires_at,
            not_before,
            key,
        })
    }

    fn is_for_us(&self, claims: &Object) -> bool {
        match claims.get("aud") {
            Some(Value::String(audience)) => *audience == self.issuer,
            Some(Value::Array(list)) => {
                list.iter().all(Value::is_string)
                    && list
                        .iter()
                        .any(|audience| audience.as_str() == Some(&self.issuer))
            }
            _ => false,
        }
    }
}

fn key_of<'a>(header: &Object, keys: &'a KeySet) -> Result<&'a Arc<Key>, TokenFault> {
    let kind = header.text("typ").unwrap_or_default().to_ascii_lowercase();
    let kind = kind.strip_prefix("application/").unwrap_or(&kind);
    // `crit` lists extensions that must be understood (RFC 7515 §4.1.11); none is supported.
    if header.text("alg") != Some(ALGORITHM) || kind != TYPE || header.get("crit").is_some() {
        return Err(TokenFault::Kind);
    }
    header
        .text("kid")
        .and_then(|id| id.parse::<KeyId>().ok())
        .and_then(|id| keys.find(id))
        .ok_or(TokenFault::UnknownKey)
}

fn encode(part: &impl Serialize) -> Option<String> {
    serde_json::to_vec(part)
        .ok()
        .map(|json| URL_SAFE_NO_PAD.encode(json))
}

fn decode(part: &str) -> Result<Object, TokenFault> {
    let json = URL_SAFE_NO_PAD
        .decode(part)
        .map_err(|_| TokenFault::Malformed)?;
    serde_json::from_slice(&json).map_err(|_| TokenFault::Malformed)
}
