//! Sign-in links and sessions: for operators in the console, and for a client's people on the
//! client's pages.

use async_trait::async_trait;
use fields::vocabulary;
use kernel::{
    Actor, Operator, StoreError,
    audit::{Action, Attribution, Entry},
    digest,
};
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use crate::{Client, ClientError, Clients, Scope, audit};

/// How long an operator's link can be used.
pub const LINK_LIFETIME: Duration = Duration::minutes(15);
/// How long a client's link can be used.
pub const CLIENT_LINK_LIFETIME: Duration = Duration::hours(24);
/// How long a session lasts.
pub const SESSION_LIFETIME: Duration = Duration::hours(12);
/// The largest number of links, and of sessions, of one holder. A further one ends the oldest.
pub const MOST_TOKENS: usize = 100;

/// The SHA-256 of a token. The token itself is not stored.
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

/// A token that lets a browser act for its holder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignInToken {
    /// The digest of the token's text.
    pub digest: TokenDigest,
    /// The kind.
    pub kind: SignInTokenKind,
    /// The holder: an operator by name, or a client.
    pub holder: Actor,
    /// The scopes for the client's people; empty for an operator.
    pub scopes: Vec<Scope>,
    /// When it was created.
    pub created_at: OffsetDateTime,
    /// When it ends.
    pub expires_at: OffsetDateTime,
}

impl SignInToken {
    fn new(
        kind: SignInTokenKind,
        digest: TokenDigest,
        (holder, scopes): (Actor, Vec<Scope>),
        (created_at, lifetime): (OffsetDateTime, Duration),
    ) -> Self {
        Self {
            digest,
            kind,
            holder,
            scopes,
            created_at,
            expires_at: created_at.saturating_add(lifetime),
        }
    }

    /// Whether it can be used. Its creation time is not checked, because clocks differ.
    pub fn is_live(&self, now: OffsetDateTime) -> bool {
        now < self.expires_at
    }
}

/// The port to sign-in tokens. Several processes share them.
#[async_trait]
pub trait SignInTokens: Send + Sync {
    /// Adds a token and an audit entry. Only the newest [`MOST_TOKENS`] of this holder and kind are
    /// kept.
    async fn add_token(&self, token: &SignInToken, entry: Option<&Entry>)
    -> Result<(), StoreError>;

    /// Finds tokens by digest, valid or not.
    async fn find_tokens(&self, digests: &[TokenDigest]) -> Result<Vec<SignInToken>, StoreError>;

    /// Replaces a link by a session, and adds the entry. Returns `false`, and changes nothing, if
    /// the link is missing or has ended. Only one of several callers succeeds.
    async fn redeem_link(
        &self,
        link: &TokenDigest,
        session: &SignInToken,
        entry: &Entry,
    ) -> Result<bool, StoreError>;

    /// Deletes a session, and adds the entry. Returns `false`, and changes nothing, if there is
    /// none.
    async fn end_session(&self, session: &TokenDigest, entry: &Entry) -> Result<bool, StoreError>;

    /// Deletes up to `limit` tokens that ended before this time. Returns how many.
    async fn forget_tokens(
        &self,
        before: OffsetDateTime,
        limit: usize,
    ) -> Result<usize, StoreError>;
}

/// Decides which holders a set of pages admits.
#[async_trait]
pub trait Admission: Send + Sync {
    /// The person or client that is admitted.
    type Who: Send;
    /// The audited action of signing in.
    const SIGN_IN: Action;
    /// The audited action of signing out.
    const SIGN_OUT: Action;

    /// The holder of a live token, if admitted.
    async fn admit(&self, token: &SignInToken) -> Result<Option<Self::Who>, StoreError>;
}

/// Admits operators.
#[derive(Clone, Copy, Debug)]
pub struct Operators;

#[async_trait]
impl Admission for Operators {
    type Who = Operator;
    const SIGN_IN: Action = audit::CONSOLE_SIGN_IN;
    const SIGN_OUT: Action = audit::CONSOLE_SIGN_OUT;

    async fn admit(&self, token: &SignInToken) -> Result<Option<Operator>, StoreError> {
        Ok(match &token.holder {
            Actor::Operator(name) => name.clone(),
            _ => None,
        })
    }
}

/// Admits people of active clients, unless the client's tokens were ended after this token was
/// created. The returned client has only the token's scopes.
#[derive(Clone, Copy)]
pub struct Integrators<'a>(pub &'a dyn Clients);

#[async_trait]
impl Admission for Integrators<'_> {
    type Who = Client;
    const SIGN_IN: Action = audit::INTEGRATION_SIGN_IN;
    const SIGN_OUT: Action = audit::INTEGRATION_SIGN_OUT;

    async fn admit(&self, token: &SignInToken) -> Result<Option<Client>, StoreError> {
        let Actor::Client(id) = token.holder else {
            return Ok(None);
        };
        let found = self.0.find(id).await?.filter(Client::is_active);
        let issued_at = token.created_at.unix_timestamp();
        let found = found.filter(|client| client.accepts_issue(issued_at));
        Ok(found.map(|client| client.narrowed(&token.scopes)))
    }
}

/// Creates a link for an operator, by its token's digest.
pub async fn issue_link(
    tokens: &dyn SignInTokens,
    digest: TokenDigest,
    operator: Operator,
    by: &Attribution,
    now: OffsetDateTime,
) -> Result<SignInToken, StoreError> {
    let entry = by.entry(audit::CONSOLE_LINK, now);
    let entry = entry.with("for", operator.as_str());
    let (kind, holder) = (SignInTokenKind::Link, Actor::Operator(Some(operator)));
    let link = SignInToken::new(kind, digest, (holder, Vec::new()), (now, LINK_LIFETIME));
    tokens.add_token(&link, Some(&entry)).await?;
    Ok(link)
}

/// The creator of a client's link.
#[derive(Clone, Copy, Debug)]
pub enum LinkMaker<'a> {
    /// An operator.
    Operator(&'a Attribution),
    /// The client, with an access token. Links with the same scopes share one audit entry a day.
    Client,
}

/// Creates a link with the scopes of `client`. If a token requests the link, first
/// [narrow](Client::narrowed) the client to the token's scopes.
pub async fn issue_client_link(
    tokens: &dyn SignInTokens,
    digest: TokenDigest,
    client: &Client,
    by: LinkMaker<'_>,
    now: OffsetDateTime,
) -> Result<SignInToken, ClientError> {
    if !client.is_active() {
        return Err(ClientError::Revoked(client.id));
    }
    let scopes = client.scope_names();
    let entry = match by {
        LinkMaker::Operator(by) => by.entry(audit::CLIENTS_LINK, now).about(client.id),
        LinkMaker::Client => {
            let action = audit::INTEGRATION_LINK;
            let name = format!("{action}\0{}\0{}", now.date(), scopes.join(" "));
            Entry::of_client(client.id, action, now).part(name.as_bytes())
        }
    };
    let entry = entry.with("scopes", scopes);
    // Revoking tokens refuses all from before the next full second. A link of the present second is
    // dated to the next second, so it is accepted.
    let from = client.tokens_from.map_or(now, |from| from.max(now));
    let permits = (Actor::Client(client.id), client.scopes.clone());
    let lasts = (from, CLIENT_LINK_LIFETIME);
    let link = SignInToken::new(SignInTokenKind::Link, digest, permits, lasts);
    tokens.add_token(&link, Some(&entry)).await?;
    Ok(link)
}

/// Returns the holder that a token of this kind admits at this time.
pub async fn admitted<A: Admission>(
    admission: &A,
    kind: SignInTokenKind,
    found: Option<&SignInToken>,
    now: OffsetDateTime,
) -> Result<Option<A::Who>, StoreError> {
    match found {
        Some(token) if token.kind == kind && token.is_live(now) => admission.admit(token).await,
        _ => Ok(None),
    }
}

/// Signs in by a link. `None` if the link is unknown, used, too old or not for these pages.
pub async fn sign_in<A: Admission>(
    tokens: &dyn SignInTokens,
    admission: &A,
    found: Option<SignInToken>,
    session: TokenDigest,
    entry_id: Uuid,
    now: OffsetDateTime,
) -> Result<Option<A::Who>, StoreError> {
    let kind = SignInTokenKind::Link;
    let who = admitted(admission, kind, found.as_ref(), now).await?;
    let Some((found, who)) = found.zip(who) else {
        return Ok(None);
    };
    // A link may be dated ahead of this clock. If its session were dated earlier, an end of tokens
    // before the link would end the session.
    let begins = (found.created_at.max(now), SESSION_LIFETIME);
    let permits = (found.holder, found.scopes);
    let session = SignInToken::new(SignInTokenKind::Session, session, permits, begins);
    let entry = entry_of(&session.holder, A::SIGN_IN, entry_id, now).with("by", "link");
    let is_redeemed = tokens.redeem_link(&found.digest, &session, &entry).await?;
    Ok(is_redeemed.then_some(who))
}

/// Ends a session of this holder, in every process.
pub async fn sign_out<A: Admission>(
    tokens: &dyn SignInTokens,
    session: &TokenDigest,
    holder: &Actor,
    entry_id: Uuid,
    now: OffsetDateTime,
) -> Result<(), StoreError> {
    let entry = entry_of(holder, A::SIGN_OUT, entry_id, now);
    tokens.end_session(session, &entry).await.map(drop)
}

fn entry_of(holder: &Actor, action: Action, id: Uuid, now: OffsetDateTime) -> Entry {
    match holder {
        Actor::Client(client) => Entry::of_client(*client, action, now),
        Actor::Operator(Some(name)) => Entry::new(id, name.to_string(), action, now),
        other => Entry::new(id, other.to_string(), action, now),
    }
}
