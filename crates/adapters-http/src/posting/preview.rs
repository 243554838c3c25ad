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

pub type Previewed = (PostingView, Option<String>);

/// Answers a dry run with a preview. If enrichment fails, there is no preview; after a real push,
/// an operator would see the failure.
pub async fn previewed(
    state: &State,
    put: &PutPosting,
) -> Result<(posting::Answer, Option<Previewed>), ApiError> {
    let (lifetime, now) = (state.ports.lifetime, now());
    let (answer, submission) =
        usecase::preview(&*state.ports.stores.store, put, lifetime, now).await??;
    // Always uses another thread: even for a short text, the rules take as long as many requests.
    let made = large(usize::MAX, move || preview(&submission, lifetime, now)).await?;
    if let Err(error) = &made {
        tracing::warn!(%error, "a posting cannot be previewed");
    }
    Ok((answer, made.ok()))
}
