//! Enrichment before and after the enricher's work, which is outside any transaction.

use std::sync::Arc;

use kernel::{
    PostingId, SourceIdentifier, StoreError, Version, outbox::ClaimToken, trace::TraceParent,
};
use time::OffsetDateTime;

use super::{Batch, lookalikes::Lookalikes};
use crate::{
    company::{Company, CompanyView},
    decision::{Snapshot, WriteSet, outcome},
    posting::{
        Answer, ContentHash, Decision, Enrichment, Lifetime, Posting, PostingVersion, PostingView,
        PutPosting, Rejection, Review, duplicate::Fingerprint, enrich, skeleton,
    },
    store::Store,
};

/// The work of a claimed enrichment task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignment {
    /// The task.
    pub token: ClaimToken,
    /// The content that the enricher reads.
    pub content: ContentHash,
    /// The posting with that content.
    pub submission: Submission,
}

/// A pushed posting, with other inputs of an enricher.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Submission {
    /// The posting.
    pub posting: Posting,
    /// Its description as it was pushed.
    pub raw_description: Arc<str>,
    /// Its company.
    pub company: Company,
    /// The names that the company had.
    pub former_names: Vec<String>,
    /// Whether each of the last ten changes replaced the description by one that differs only in
    /// numbers, dates and tracking parameters.
    pub churns: bool,
}

/// A posting churns after this many consecutive changes that alter no words.
const CHURN: u8 = 10;
/// The number of examined versions. It exceeds [`CHURN`], because verdicts are versions, too.
const VERSIONS: u8 = 3 * CHURN;

/// Notes which of these postings change again and again without a difference in words.
async fn note_churn(store: &dyn Store, assignments: &mut [Assignment]) -> Result<(), StoreError> {
    let postings = assignments.iter().map(|it| &it.submission.posting);
    let changed = postings.filter(|posting| posting.version > CHURN.into());
    let changed: Vec<_> = changed
        .map(|posting| (posting.id, posting.version - Version::from(VERSIONS)))
        .collect();
    if changed.is_empty() {
        return Ok(());
    }
    let records = store.records_after(&changed).await?;
    for Assignment { submission, .. } in assignments {
        let present = skeleton(&submission.raw_description);
        let own = records
            .iter()
            .filter(|it| it.posting == submission.posting.id && it.is_of_its_own());
        let last: Vec<_> = own.take(usize::from(CHURN)).collect();
        let is_alike = |version: &&PostingVersion| {
            let before = version.description.as_deref();
            before.is_some_and(|before| skeleton(before) == present)
        };
        submission.churns = last.len() == usize::from(CHURN) && last.iter().all(is_alike);
    }
    Ok(())
}

impl Submission {
    fn of(posting: &Posting, snapshot: &Snapshot) -> Result<Self, StoreError> {
        let company = snapshot.company_of(posting)?;
        let raw_description = posting.details.raw_description.text().cloned();
        let raw_description = raw_description.ok_or_else(|| {
            let id = posting.id;
            StoreError::Broken(format!("posting {id} was loaded without its description"))
        })?;
        let former_names = snapshot.former_names.get(&company.id).cloned();
        Ok(Self {
            posting: posting.clone(),
            raw_description,
            company: company.clone(),
            former_names: former_names.unwrap_or_default(),
            churns: false,
        })
    }

    /// Returns the posting as it would be after this enrichment.
    pub fn enriched(
        &self,
        made: &Enrichment,
        lifetime: Lifetime,
        now: OffsetDateTime,
    ) -> PostingView {
        let (posting, company) = (&self.posting, &self.company);
        let content = ContentHash::of(&posting.details, company);
        let change = outcome::apply(posting, company, content, made, None, lifetime, now);
        PostingView {
            posting: change.map_or_else(|| posting.clone(), |change| change.write.posting),
            company: CompanyView {
                company: company.clone(),
                created_at: now,
                updated_at: now,
                updated_by: None,
                merged_at: None,
            },
            texts: Some(made.texts.clone()),
            coordinates: made.coordinates,
            findings: made.findings.clone(),
            decision: Some(Decision::of_verdict(&made.verdict, made.by.clone(), now)),
            pending: None,
            history: Vec::new(),
        }
    }
}

/// Returns a command's answer with the content to judge, or the reason of a refusal. Writes
/// nothing.
pub async fn preview(
    store: &dyn Store,
    put: &PutPosting,
    lifetime: Lifetime,
    now: OffsetDateTime,
) -> Result<Result<(Answer, Submission), Rejection>, StoreError> {
    let mut batch = Batch::new(lifetime, now);
    batch.load(store, &[put], true).await?;
    let decided = match batch.decide(put, now) {
        Ok(decided) => decided,
        Err(rejection) => return Ok(Err(rejection)),
    };
    let answer = decided.answer.clone();
    let id = answer.id;
    batch.record(put, Ok(decided), now);
    let mut snapshot = batch.snapshot().clone();
    let stored = store.load_by_id(&[id]).await?;
    snapshot.former_names = stored.former_names;
    let posting = snapshot.postings.get_mut(&put.identifier);
    let posting = posting.ok_or_else(|| StoreError::Broken(format!("posting {id} is gone")))?;
    let description = &mut posting.details.raw_description;
    if description.text().is_none() {
        let stored = stored.postings.get(&put.identifier);
        description.read(stored.and_then(|it| it.details.raw_description.text().cloned()));
    }
    let posting = posting.clone();
    let submission = Submission::of(&posting, &snapshot)?;
    Ok(Ok((answer, submission)))
}

/// The outcome of an assignment.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The task.
    pub token: ClaimToken,
    /// The posting.
    pub posting: SourceIdentifier,
    /// The content that was judged.
    pub content: ContentHash,
    /// The enricher's result.
    pub enrichment: Enrichment,
    /// The enrichment's trace, if any.
    pub trace: Option<TraceParent>,
}

impl Outcome {
    fn fingerprint(&self, posting: &Posting) -> Fingerprint {
        match self.enrichment.min_hash {
            Some(min_hash) => Fingerprint::of(&posting.details, posting.company_id, min_hash),
            None => Fingerprint::unlike_any(posting.id),
        }
    }
}

/// Loads the work of claimed tasks. Finishes a task without work: the posting is deleted or
/// expired, or its content has an outcome or is held back.
pub async fn assignments(
    store: &dyn Store,
    tasks: &[(ClaimToken, PostingId)],
    now: OffsetDateTime,
) -> Result<Vec<Assignment>, StoreError> {
    let ids: Vec<_> = tasks.iter().map(|(_, id)| *id).collect();
    let snapshot = store.load_by_id(&ids).await?;
    let identifiers = snapshot.identifiers();
    let mut writes = WriteSet::new(now);
    let mut assignments = Vec::with_capacity(tasks.len());
    for &(token, id) in tasks {
        let identifier = identifiers.get(&id);
        let posting = identifier.and_then(|identifier| snapshot.postings.get(identifier));
        let assigned = posting.map(|posting| assignment(token, posting, &snapshot));
        match assigned.transpose()?.flatten() {
            Some(assignment) => assignments.push(assignment),
            None => writes.tasks.done.push(token),
        }
    }
    if !writes.is_empty() {
        store.commit(writes).await?;
    }
    note_churn(store, &mut assignments).await?;
    Ok(assignments)
}

fn assignment(
    token: ClaimToken,
    posting: &Posting,
    snapshot: &Snapshot,
) -> Result<Option<Assignment>, StoreError> {
    let company = snapshot.company_of(posting)?;
    let Some(content) = outcome::due(posting, company) else {
        return Ok(None);
    };
    Ok(Some(Assignment {
        token,
        content,
        submission: Submission::of(posting, snapshot)?,
    }))
}

/// Records outcomes and finishes their tasks in one commit. An outcome for outdated content changes
/// nothing, and its task becomes due again.
///
/// Stores fingerprints for finding [duplicates](crate::posting::duplicate), and requests searches
/// that mark similar postings.
pub async fn record_outcomes(
    store: &dyn Store,
    outcomes: &[Outcome],
    lifetime: Lifetime,
    now: OffsetDateTime,
) -> Result<(), StoreError> {
    let postings: Vec<_> = outcomes.iter().map(|it| it.posting.clone()).collect();
    let mut snapshot = store.load(&postings, &[]).await?;
    let mut writes = WriteSet::new(now);
    let fingerprints = outcomes.iter().filter_map(|outcome| {
        let posting = snapshot.postings.get(&outcome.posting)?;
        Some((posting, outcome.fingerprint(posting)))
    });
    let mut lookalikes = Lookalikes::of(store, fingerprints.collect()).await?;
    for outcome in outcomes {
        writes.tasks.done.push(outcome.token);
        writes.tasks.trace = outcome.trace;
        let Some(posting) = snapshot.postings.get(&outcome.posting) else {
            continue;
        };
        let (content, enrichment) = (outcome.content, &outcome.enrichment);
        let company = snapshot.company_of(posting)?;
        let mark = lookalikes.mark(posting);
        match outcome::apply(posting, company, content, enrichment, mark, lifetime, now) {
            Some(mut change) => {
                // Held-back content gets no fingerprint.
                if !change.write.posting.holds(content) {
                    lookalikes.judged(&mut change.write.posting, &mut writes);
                }
                change.record(&mut snapshot, &mut writes);
            }
            None if outcome::due(posting, company).is_some() => {
                // The content changed meanwhile: a new company name requests no enrichment.
                writes.tasks.ask(enrich(posting.id));
            }
            None => {}
        }
    }
    writes.tasks.trace = None;
    store.commit(writes).await?;
    // The outcomes are already recorded, so an error here is ignored.
    lookalikes.look_again(store, now).await.or(Ok(()))
}

/// Ends the hold of up to `limit` postings [held back](crate::posting::Held) since `before` or
/// earlier, in one commit. Returns their number.
pub async fn end_holds(
    store: &dyn Store,
    before: OffsetDateTime,
    limit: usize,
    now: OffsetDateTime,
) -> Result<usize, StoreError> {
    let held = store.held(before, limit).await?;
    let mut snapshot = store.load(&held, &[]).await?;
    let mut writes = WriteSet::new(now);
    for identifier in &held {
        let posting = snapshot.postings.get(identifier);
        if let Some(change) = posting.and_then(|it| outcome::end_hold(it, before, now)) {
            change.record(&mut snapshot, &mut writes);
        }
    }
    if !writes.is_empty() {
        store.commit(writes).await?;
    }
    Ok(held.len())
}

/// An enrichment to dead-letter.
#[derive(Clone, Debug, PartialEq)]
pub struct GivenUp {
    /// The task.
    pub token: ClaimToken,
    /// The posting.
    pub posting: PostingId,
    /// The content without a verdict; `None` for a task that is poison.
    pub content: Option<ContentHash>,
    /// The enrichment by rules only, whose verdict does not count.
    pub made: Option<Enrichment>,
    /// The reason of the missing verdict, for the client.
    pub reason: String,
    /// The error, for an operator.
    pub error: String,
}

/// Dead-letters an enrichment, and changes the posting in the same commit; see
/// [`outcome::leave_unjudged`]. Returns `false` if the task need not be dead: no outcome is due,
/// the content has changed and is enriched again, or an operator's verdict makes texts by rules
/// suffice.
pub async fn give_up(
    store: &dyn Store,
    given_up: &GivenUp,
    lifetime: Lifetime,
    now: OffsetDateTime,
) -> Result<bool, StoreError> {
    let token = given_up.token;
    let mut snapshot = store.load_by_id(&[given_up.posting]).await?;
    let mut writes = WriteSet::new(now);
    let mut due = None;
    if let Some(posting) = snapshot.postings.values().next() {
        let content = outcome::due(posting, snapshot.company_of(posting)?);
        due = content.map(|content| (posting, content));
    }
    let is_dead = match due {
        None => false,
        Some((posting, content)) if given_up.content.is_some_and(|other| other != content) => {
            writes.tasks.ask(enrich(posting.id));
            false
        }
        Some((posting, content)) if outcome::is_settled(posting, content) => {
            let outcome = Outcome {
                token,
                posting: posting.source_identifier.clone(),
                content,
                enrichment: given_up.made.clone().unwrap_or_else(Enrichment::bare),
                trace: None,
            };
            record_outcomes(store, &[outcome], lifetime, now).await?;
            return Ok(false);
        }
        Some((posting, _)) => {
            let made = given_up.made.as_ref();
            let review = match given_up.content {
                Some(_) => Review::NoVerdict,
                None => Review::Poison,
            };
            let why = (review, given_up.reason.as_str());
            if let Some(change) = outcome::leave_unjudged(posting, made, why, now) {
                change.record(&mut snapshot, &mut writes);
            }
            let error = given_up.error.clone();
            writes.tasks.given_up.push((token, error));
            true
        }
    };
    if !is_dead {
        writes.tasks.done.push(token);
    }
    store.commit(writes).await?;
    Ok(is_dead)
}
