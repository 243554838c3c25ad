//! The command of operators about companies.

use fields::Patch;
use kernel::{
    Actor, ClientId, CompanyId, StoreError,
    audit::{Attribution, Entry},
    event::Subject,
};
use time::OffsetDateTime;

use crate::{
    audit::COMPANIES_UPDATE,
    company::{Company, CompanyReader, CompanyView, CompanyWrite, Kept},
    decision::{
        WriteSet,
        company::{self, CompanyChange},
    },
    posting::{event::COMPANY_UPDATED, settle_company},
    store::Store,
};

/// Why a company was not changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CompanyError {
    /// There is no such company.
    #[error("there is no company with this website")]
    NotFound,
    /// The new owner is not known.
    #[error("there is no client {0}")]
    UnknownOwner(ClientId),
    /// A company would be merged with itself.
    #[error("both websites name the same company")]
    Same,
    /// The company to merge is already an alias.
    #[error("the company is merged into another one; unmerge it first")]
    AliasOfAnother,
    /// The company to unmerge is no alias.
    #[error("the company is not merged into another one")]
    NoAlias,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

kernel::store_failure!(CompanyError);

/// Finds the company that an id means: for an alias, its target.
pub async fn find_company(
    companies: &dyn CompanyReader,
    mut id: CompanyId,
) -> Result<Option<CompanyView>, StoreError> {
    loop {
        let found = companies.company(id).await?;
        match found.as_ref().and_then(|view| view.company.alias_of) {
            Some(into) => id = into,
            None => return Ok(found),
        }
    }
}

/// Executes an operator's change of a company. If nothing changes, nothing is recorded.
pub async fn update_company(
    store: &dyn Store,
    id: CompanyId,
    change: &CompanyChange,
    by: &Attribution,
    now: OffsetDateTime,
) -> Result<(), CompanyError> {
    if let Patch::Set(owner) = change.owner {
        let known = store.prefixes(&[owner]).await?;
        known.get(&owner).ok_or(CompanyError::UnknownOwner(owner))?;
    }
    let snapshot = store.load(&[], &[id]).await?;
    let id = snapshot.meant(id);
    let before = snapshot.companies.get(&id).ok_or(CompanyError::NotFound)?;
    let operator = Actor::Operator(Some(by.operator.clone()));
    let Some(write) = company::change(before, change, operator, now) else {
        return Ok(());
    };
    let mut writes = WriteSet::new(now);
    writes.tasks.audit.push(entry(before, &write, by, now));
    let after = &write.company;
    if (&after.name, &after.logo_path) != (&before.name, &before.logo_path) {
        let subject = Subject::Company(write.state());
        writes.tasks.raise(COMPANY_UPDATED, subject);
    }
    if write.sets_name {
        writes.tasks.ask(settle_company(id));
    }
    writes.companies.insert(id, write);
    Ok(store.commit(writes).await?)
}

fn entry(before: &Company, write: &CompanyWrite, by: &Attribution, now: OffsetDateTime) -> Entry {
    let (company, kept) = (&write.company, write.company.kept);
    let released = Kept {
        name: before.kept.name && !kept.name,
        logo: before.kept.logo && !kept.logo,
    };
    let mut entry = by.entry(COMPANIES_UPDATE, now);
    entry = entry.about(company.website.as_str());
    if write.sets_name && (kept.name || company.name != before.name) {
        entry = entry.with("name", company.name.as_str());
    }
    if write.sets_logo_path && (kept.logo || company.logo_path != before.logo_path) {
        entry = entry.with("logo_path", company.logo_path.as_deref());
    }
    if write.sets_owner {
        entry = entry.with("owner", company.owner.map(|owner| owner.to_string()));
    }
    if released != Kept::default() {
        entry = entry.with("released", released.names().collect::<Vec<_>>());
    }
    entry
}
