//! The command of operators about companies.

use access::Clients;
use kernel::{
    Actor, ClientId, CompanyId, StoreError,
    audit::{Action, Attribution, Entry},
    event::{Event, Subject},
};
use time::OffsetDateTime;

use crate::{
    company::CompanyWrite,
    decision::WriteSet,
    posting::{CompanyPatch, event::COMPANY_UPDATED},
    store::Store,
};

/// An operator's change of a company.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CompanyChange {
    /// The name and the logo, as far as they change; its website is not read.
    pub patch: CompanyPatch,
    /// The owner, if it changes; `Some(None)` leaves the company to the clients without prefixes.
    pub owner: Option<Option<ClientId>>,
}

/// The reason why a company was not changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CompanyError {
    /// There is no such company.
    #[error("there is no company with this website")]
    NotFound,
    /// The new owner is not known.
    #[error("there is no client {0}")]
    UnknownOwner(ClientId),
    /// The store did not do it.
    #[error(transparent)]
    Store(#[from] StoreError),
}

kernel::store_failure!(CompanyError);

/// Carries out an operator's change of a company. A change of nothing is not recorded.
///
/// Its postings stay as they are: a new name makes them due for enrichment with their next push.
pub async fn update_company(
    store: &dyn Store,
    clients: &dyn Clients,
    id: CompanyId,
    change: &CompanyChange,
    by: &Attribution,
    now: OffsetDateTime,
) -> Result<(), CompanyError> {
    if let Some(Some(owner)) = change.owner {
        let client = clients.find(owner).await?;
        client.ok_or(CompanyError::UnknownOwner(owner))?;
    }
    let snapshot = store.load(&[], &[id]).await?;
    let before = snapshot.companies.get(&id).ok_or(CompanyError::NotFound)?;
    let mut after = before.clone();
    change.patch.name.apply_required(&mut after.name);
    change.patch.logo_path.apply(&mut after.logo_path);
    after.owner = change.owner.unwrap_or(after.owner);
    let operator = Actor::Operator(Some(by.operator.clone()));
    let Some(write) = CompanyWrite::between(before, after, operator, now) else {
        return Ok(());
    };
    let mut writes = WriteSet::new(now);
    writes.tasks.audit.push(entry(&write, by, now));
    if write.sets_name || write.sets_logo_path {
        writes.tasks.events.push(Event {
            name: COMPANY_UPDATED,
            subject: Subject::Company(write.state()),
            at: now,
            trace: None,
        });
    }
    writes.companies.insert(id, write);
    Ok(store.commit(writes).await?)
}

/// The entry, with what changed.
fn entry(write: &CompanyWrite, by: &Attribution, now: OffsetDateTime) -> Entry {
    let company = &write.company;
    let mut entry = by.entry(Action::COMPANIES_UPDATE, now);
    entry = entry.about(company.website.as_str());
    if write.sets_name {
        entry = entry.with("name", company.name.as_str());
    }
    if write.sets_logo_path {
        entry = entry.with("logo_path", company.logo_path.as_deref());
    }
    if write.sets_owner {
        entry = entry.with("owner", company.owner.map(|owner| owner.to_string()));
    }
    entry
}
