//! Links and sessions in memory.

use std::cmp::Reverse;

use async_trait::async_trait;
use kernel::{StoreError, audit::Entry, testing::MemoryStore};
use time::OffsetDateTime;

use super::Kept;
use crate::sign_in::{MOST_TOKENS, SignInToken, SignInTokenKind, SignInTokens, TokenDigest};

/// Adds a token, and deletes its holder's oldest tokens above the limit.
fn keep_newest(tokens: &mut Vec<SignInToken>, token: &SignInToken) {
    tokens.push(token.clone());
    let is_alike = |one: &SignInToken| (one.kind, &one.holder) == (token.kind, &token.holder);
    let mut alike: Vec<_> = tokens.iter().filter(|one| is_alike(one)).cloned().collect();
    alike.sort_by_key(|one| Reverse((one.created_at, one.digest)));
    let oldest = alike.split_off(MOST_TOKENS.min(alike.len()));
    tokens.retain(|one| !oldest.contains(one));
}

#[async_trait]
impl SignInTokens for MemoryStore {
    async fn add_token(
        &self,
        token: &SignInToken,
        entry: Option<&Entry>,
    ) -> Result<(), StoreError> {
        let mut state = self.part::<Kept>();
        keep_newest(&mut state.tokens, token);
        self.shared().record_entry(entry.cloned());
        Ok(())
    }

    async fn find_tokens(&self, digests: &[TokenDigest]) -> Result<Vec<SignInToken>, StoreError> {
        let state = self.part::<Kept>();
        let tokens = state.tokens.iter();
        let found = tokens.filter(|token| digests.contains(&token.digest));
        Ok(found.cloned().collect())
    }

    async fn redeem_link(
        &self,
        link: &TokenDigest,
        session: &SignInToken,
        entry: &Entry,
    ) -> Result<bool, StoreError> {
        let mut state = self.part::<Kept>();
        let is_it = |token: &SignInToken| {
            token.kind == SignInTokenKind::Link
                && token.digest == *link
                && token.is_live(session.created_at)
        };
        let Some(index) = state.tokens.iter().position(is_it) else {
            return Ok(false);
        };
        state.tokens.remove(index);
        keep_newest(&mut state.tokens, session);
        self.shared().record_entry(Some(entry.clone()));
        Ok(true)
    }

    async fn end_session(&self, session: &TokenDigest, entry: &Entry) -> Result<bool, StoreError> {
        let mut state = self.part::<Kept>();
        let before = state.tokens.len();
        let is_it = |token: &SignInToken| {
            token.kind == SignInTokenKind::Session && token.digest == *session
        };
        state.tokens.retain(|token| !is_it(token));
        let is_ended = state.tokens.len() < before;
        if is_ended {
            self.shared().record_entry(Some(entry.clone()));
        }
        Ok(is_ended)
    }

    async fn forget_tokens(
        &self,
        before: OffsetDateTime,
        limit: usize,
    ) -> Result<usize, StoreError> {
        let mut state = self.part::<Kept>();
        let mut forgotten = 0;
        state.tokens.retain(|token| {
            let goes = forgotten < limit && token.expires_at < before;
            forgotten += usize::from(goes);
            !goes
        });
        Ok(forgotten)
    }
}
