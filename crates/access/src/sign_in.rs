//! Sign-in links and sessions.

use async_trait::async_trait;
use kernel::{
    StoreError,
    audit::{Action, Attribution, Entry, Operator},
    digest, vocabulary,
};
use time::{Duration, OffsetDateTime};

/// How long a sign-in link can be used.
pub const LINK_LIFETIME: Duration = Duration::minutes(15);
/// How long a session lasts.
pub const SESSION_LIFETIME: Duration = Duration::hours(12);

/// SHA-256 of a token, which is stored nowhere.
pub type TokenDigest = [u8; 32];

/// The digest of a token.
pub fn token_digest(token: &str) -> TokenDigest {
    digest::of_parts([token.as_bytes()])
}

vocabulary! {
    /// The kind of a sign-in token.
    SignInTokenKind {
        /// A link that signs in once.
        Link = "link",
        /// A signed-in browser.
        Session = "session",
    }
}

/// A token that lets a browser act for an operator, by its digest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignInToken {
    /// The digest of its token.
    pub digest: TokenDigest,
    /// The kind.
    pub kind: SignInTokenKind,
    /// The operator.
    pub operator: Operator,
    /// When it was made.
    pub created_at: OffsetDateTime,
    /// When it ends.
    pub expires_at: OffsetDateTime,
}

impl SignInToken {
    fn new(
        kind: SignInTokenKind,
        digest: TokenDigest,
        operator: Operator,
        now: OffsetDateTime,
    ) -> Self {
        let lifetime = match kind {
            SignInTokenKind::Link => LINK_LIFETIME,
            SignInTokenKind::Session => SESSION_LIFETIME,
        };
        Self {
            digest,
            kind,
            operator,
            created_at: now,
            expires_at: now.saturating_add(lifetime),
        }
    }

    /// Whether it can be used. One from the future, by a clock that was ahead, can be used too.
    pub fn is_live(&self, now: OffsetDateTime) -> bool {
        now < self.expires_at
    }
}

/// The port to sign-in tokens. Several processes share them.
#[async_trait]
pub trait SignInTokens: Send + Sync {
    /// Adds a token, and the entry of the audit about it.
    async fn add_token(&self, token: &SignInToken, entry: &Entry) -> Result<(), StoreError>;

    /// Finds a token of this kind, live or not.
    async fn find_token(
        &self,
        kind: SignInTokenKind,
        digest: &TokenDigest,
    ) -> Result<Option<SignInToken>, StoreError>;

    /// Puts a session in the place of a link: deletes the link, and adds the session and the entry.
    /// `false`, and nothing is written, if there is no such link, or it ended before the session's
    /// beginning. Of several callers with one link, one succeeds.
    async fn redeem_link(
        &self,
        link: &TokenDigest,
        session: &SignInToken,
        entry: &Entry,
    ) -> Result<bool, StoreError>;

    /// Deletes a session, and adds the entry. `false`, and nothing is written, if there is none.
    async fn end_session(&self, session: &TokenDigest, entry: &Entry) -> Result<bool, StoreError>;

    /// Deletes up to `limit` tokens that ended before this time, and returns how many.
    async fn forget_tokens(
        &self,
        before: OffsetDateTime,
        limit: usize,
    ) -> Result<usize, StoreError>;
}

/// Makes a link for an operator, by the digest of its token.
pub async fn issue_link(
    tokens: &dyn SignInTokens,
    digest: TokenDigest,
    operator: Operator,
    by: &Attribution,
    now: OffsetDateTime,
) -> Result<SignInToken, StoreError> {
    let entry = by.entry(Action::CONSOLE_LINK, now);
    let entry = entry.with("for", operator.as_str());
    let link = SignInToken::new(SignInTokenKind::Link, digest, operator, now);
    tokens.add_token(&link, &entry).await?;
    Ok(link)
}

/// Signs in by a link: the session, or `None` if the link is unknown, used or too old.
pub async fn sign_in(
    tokens: &dyn SignInTokens,
    link: &TokenDigest,
    session: TokenDigest,
    entry_id: uuid::Uuid,
    now: OffsetDateTime,
) -> Result<Option<SignInToken>, StoreError> {
    let Some(found) = tokens.find_token(SignInTokenKind::Link, link).await? else {
        return Ok(None);
    };
    let by = Attribution {
        id: entry_id,
        operator: found.operator.clone(),
    };
    let session = SignInToken::new(SignInTokenKind::Session, session, found.operator, now);
    let entry = by.entry(Action::CONSOLE_SIGN_IN, now).with("by", "link");
    let is_redeemed = tokens.redeem_link(link, &session, &entry).await?;
    Ok(is_redeemed.then_some(session))
}

/// Ends a session, in every process.
pub async fn sign_out(
    tokens: &dyn SignInTokens,
    session: &TokenDigest,
    by: &Attribution,
    now: OffsetDateTime,
) -> Result<(), StoreError> {
    let entry = by.entry(Action::CONSOLE_SIGN_OUT, now);
    tokens.end_session(session, &entry).await.map(drop)
}
