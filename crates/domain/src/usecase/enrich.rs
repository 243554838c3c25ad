//! Enrichment, on both sides of the enricher's work, which happens outside any transaction.

use time::OffsetDateTime;

use crate::{
    company::Company,
    enrichment::{Enrichment, EnrichmentInput},
    outbox::Receipt,
    posting::{ContentHash, Lifetime, Posting, PostingId, SourceIdentifier, enrich, outcome},
    store::{Known, Store, StoreError, WriteSet},
};

/// The work of a claimed enrichment task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignment {
    /// The task.
    pub receipt: Receipt,
    /// The posting.
    pub posting: SourceIdentifier,
    /// The content that the outcome will be for.
    pub content: ContentHash,
    /// The content itself.
    pub input: EnrichmentInput,
}

/// The outcome of an assignment.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The task.
    pub receipt: Receipt,
    /// The posting.
    pub posting: SourceIdentifier,
    /// The content it is for.
    pub content: ContentHash,
    /// The enricher's result.
    pub enrichment: Enrichment,
}

/// Loads the work of claimed tasks. Finishes tasks that are no longer needed, because the posting
/// has expired or has an outcome for its content.
pub async fn assignments(
    store: &dyn Store,
    tasks: &[(Receipt, PostingId)],
    now: OffsetDateTime,
) -> Result<Vec<Assignment>, StoreError> {
    let ids: Vec<_> = tasks.iter().map(|(_, id)| *id).collect();
    let known = store.load_by_id(&ids).await?;
    let identifiers = known.identifiers();
    let mut writes = WriteSet::new(now);
    let mut assignments = Vec::with_capacity(tasks.len());
    for &(receipt, id) in tasks {
        let posting = identifiers
            .get(&id)
            .and_then(|identifier| known.postings.get(identifier));
        let assignment = match posting {
            Some(posting) => assignment(receipt, posting, &known)?,
            None => None,
        };
        match assignment {
            Some(assignment) => assignments.push(assignment),
            None => writes.tasks.done.push(receipt),
        }
    }
    if !writes.is_empty() {
        store.commit(writes).await?;
    }
    Ok(assignments)
}

/// The work for a posting, if any.
fn assignment(
    receipt: Receipt,
    posting: &Posting,
    known: &Known,
) -> Result<Option<Assignment>, StoreError> {
    let company = known.company_of(posting)?;
    let other_names = known.former_names.get(&company.id);
    let Some(content) = outcome::due(posting, company) else {
        return Ok(None);
    };
    Ok(Some(Assignment {
        receipt,
        posting: posting.source_identifier.clone(),
        content,
        input: input(posting, company, other_names.cloned().unwrap_or_default())?,
    }))
}

/// Records outcomes and finishes their tasks in one commit. An outcome for content that is no
/// longer the newest changes nothing, and its task becomes due once more.
pub async fn record_outcomes(
    store: &dyn Store,
    outcomes: &[Outcome],
    lifetime: Lifetime,
    now: OffsetDateTime,
) -> Result<(), StoreError> {
    let postings: Vec<_> = outcomes
        .iter()
        .map(|outcome| outcome.posting.clone())
        .collect();
    let mut known = store.load(&postings, &[]).await?;
    let mut writes = WriteSet::new(now);
    for Outcome {
        receipt,
        posting,
        content,
        enrichment,
    } in outcomes
    {
        writes.tasks.done.push(*receipt);
        let Some(posting) = known.postings.get(posting) else {
            continue;
        };
        let company = known.company_of(posting)?;
        match outcome::apply(posting, company, *content, enrichment, lifetime, now) {
            Some(change) => change.record(&mut known, &mut writes),
            None if outcome::due(posting, company).is_some() => {
                // A company's new name changes the redaction, but asks for no enrichment.
                writes.tasks.ask(enrich(posting.id));
            }
            None => {}
        }
    }
    store.commit(writes).await
}

/// An assignment that gets no outcome unless an operator sees to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Unjudged {
    /// The posting.
    pub posting: SourceIdentifier,
    /// The content that got no verdict.
    pub content: ContentHash,
    /// The texts made by rules, without a verdict.
    pub made: Option<outcome::Made>,
    /// The reason of the missing verdict, for the client that pushes the posting.
    pub reason: String,
}

/// Notes that a posting got no verdict, see [`outcome::leave_unjudged`]. Its task stays.
pub async fn leave_unjudged(
    store: &dyn Store,
    unjudged: &Unjudged,
    now: OffsetDateTime,
) -> Result<(), StoreError> {
    let Unjudged {
        posting,
        content,
        made,
        reason,
    } = unjudged;
    let mut known = store.load(std::slice::from_ref(posting), &[]).await?;
    let Some(posting) = known.postings.get(posting) else {
        return Ok(());
    };
    let company = known.company_of(posting)?;
    let change = outcome::leave_unjudged(posting, company, *content, made.clone(), reason, now);
    let Some(change) = change else {
        return Ok(());
    };
    let mut writes = WriteSet::new(now);
    change.record(&mut known, &mut writes);
    store.commit(writes).await
}

/// The same for a posting that must not even be worked on any more. Its task stays.
pub async fn abandon(
    store: &dyn Store,
    posting: PostingId,
    reason: &str,
    now: OffsetDateTime,
) -> Result<(), StoreError> {
    let mut known = store.load_by_id(&[posting]).await?;
    let Some(posting) = known.postings.values().next() else {
        return Ok(());
    };
    let company = known.company_of(posting)?;
    let change = outcome::due(posting, company)
        .and_then(|content| outcome::leave_unjudged(posting, company, content, None, reason, now));
    let Some(change) = change else {
        return Ok(());
    };
    let mut writes = WriteSet::new(now);
    change.record(&mut known, &mut writes);
    store.commit(writes).await
}

fn input(
    posting: &Posting,
    company: &Company,
    other_names: Vec<String>,
) -> Result<EnrichmentInput, StoreError> {
    let description = posting.details.raw_description.text().cloned();
    let raw_description = description.ok_or_else(|| {
        StoreError::Broken(format!(
            "posting {} was loaded without its description",
            posting.id
        ))
    })?;
    Ok(EnrichmentInput {
        title: posting.details.title.clone(),
        raw_description,
        country: posting.details.location_country_code,
        city: posting.details.location_city.clone(),
        company_name: company.name.clone(),
        other_names,
        company_website: company.website.as_str().to_owned(),
        application_url: posting.details.application_url.clone(),
    })
}
