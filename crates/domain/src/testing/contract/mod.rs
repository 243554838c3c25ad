//! The contract suite's cases, by area. Each takes an empty store with the named ports.

pub mod attention;
pub mod audit;
pub mod catalogues;
pub mod commits;
pub mod companies;
pub mod console;
pub mod duplicates;
pub mod events;
pub mod health;
pub mod lockstep;
pub mod merges;
pub mod outbox;
pub mod postings;
pub mod reading;
pub mod reports;
pub mod retention;
pub mod versions;

use kernel::testing::{Absent, Checked, identifier, noon};
use time::OffsetDateTime;

use crate::{
    posting::{Answer, Lifetime, Posting, PostingView, PutPosting, Rejection},
    store::{ListQuery, PostingReader, PostingWrite, Snapshot, Store, WriteSet},
    usecase::ingest,
};

fn lifetime() -> Lifetime {
    Lifetime::days(60)
}

async fn run<S: Store>(
    store: &S,
    batch: &[PutPosting],
    now: OffsetDateTime,
) -> Checked<Vec<Result<Answer, Rejection>>> {
    Ok(ingest(store, batch, lifetime(), now).await?)
}

async fn put<S: Store>(store: &S, batch: &[PutPosting]) -> Checked {
    for answer in run(store, batch, noon()).await? {
        answer?;
    }
    Ok(())
}

async fn load<S: Store>(store: &S, identifiers: &[&str]) -> Checked<Snapshot> {
    let identifiers: Vec<_> = identifiers.iter().map(|text| identifier(text)).collect();
    Ok(store.load(&identifiers, &[]).await?)
}

async fn posting<S: Store>(store: &S, text: &str) -> Checked<Posting> {
    let mut snapshot = load(store, &[text]).await?;
    Ok(snapshot.postings.remove(&identifier(text)).ok_or(Absent)?)
}

fn touching(posting: &Posting, change: impl FnOnce(&mut Posting)) -> WriteSet {
    writing(posting, |write| change(&mut write.posting))
}

fn writing(posting: &Posting, change: impl FnOnce(&mut PostingWrite)) -> WriteSet {
    let mut write = PostingWrite::new(Some(posting.version), posting.clone());
    write.posting.version += 1;
    change(&mut write);
    let mut writes = WriteSet::new(noon());
    writes.postings.insert(write.posting.id, write);
    writes
}

fn first(limit: usize) -> ListQuery {
    ListQuery {
        limit,
        ..ListQuery::default()
    }
}

async fn view<S: PostingReader>(store: &S, name: &str) -> Checked<PostingView> {
    let found = store.find(&identifier(name)).await?;
    Ok(found.ok_or(Absent)?)
}

async fn change<S: Store>(
    store: &S,
    text: &str,
    change: impl FnOnce(&mut Posting) + Send,
) -> Checked {
    let writes = touching(&posting(store, text).await?, change);
    Ok(store.commit(writes).await?)
}
