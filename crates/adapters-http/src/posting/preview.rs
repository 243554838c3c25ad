//! What a dry run previews: the posting as the rules would leave it.

use domain::{
    posting::{self, PostingView, PutPosting},
    usecase,
};
use enrichment::preview;

use crate::{
    answer::large,
    error::ApiError,
    state::{State, now},
};

/// A posting as the rules would leave it, and its JSON-LD.
pub type Previewed = (PostingView, Option<String>);

/// Answers a push without writing anything, and previews it. There is no preview if the rules fail,
/// which an operator would see of a real push.
pub async fn previewed(
    state: &State,
    put: &PutPosting,
) -> Result<(posting::Answer, Option<Previewed>), ApiError> {
    let (lifetime, now) = (state.ports.lifetime, now());
    let (answer, submission) =
        usecase::preview(&*state.ports.stores.store, put, lifetime, now).await??;
    // However short the text is, the rules take as long as many requests do.
    let made = large(usize::MAX, move || preview(&submission, lifetime, now)).await?;
    if let Err(error) = &made {
        tracing::warn!(%error, "a posting cannot be previewed");
    }
    Ok((answer, made.ok()))
}
