//! The rules for changes of companies by pushes and by operators.
//!
//! A company belongs to the client that creates it, unless an operator changes the owner. A client
//! with prefixes changes only its own companies. No push changes a name or logo set by an operator.
//! Another commit may change the state on which a write was decided. The write therefore has
//! conditions ([`CompanyWrite::applied_to`]).

use fields::Patch;
use kernel::{Actor, ClientId, CompanyId};
use time::OffsetDateTime;

use super::Snapshot;
use crate::{
    authority::Principal,
    company::{Company, CompanyWrite, Kept},
    posting::{CompanyPatch, NamedBefore, Notice, PutPosting},
};

pub(super) struct Pushed {
    pub after: Company,
    /// The alias that the push names.
    pub alias: Option<CompanyId>,
    /// The company's write, if it changes.
    pub write: Option<CompanyWrite>,
    /// Whether an existing company changes.
    pub is_update: bool,
    /// The notice that the company keeps a value, although the push has another.
    pub notice: Option<Notice>,
    /// Whether an earlier line of the import, with the same name and logo, writes the company.
    pub is_left: bool,
}

/// Applies a push to the named company; `None` for a new company without a name.
pub(super) fn push(
    snapshot: &Snapshot,
    id: CompanyId,
    put: &PutPosting,
    now: OffsetDateTime,
) -> Option<Pushed> {
    let alias = Some(id).filter(|id| snapshot.meant(*id) != *id);
    let Some(before) = snapshot.companies.get(&snapshot.meant(id)) else {
        return found(id, put, now);
    };
    let (patch, by) = (put.patch.company(), put.by);
    let mut after = before.clone();
    patch.name.apply_required(&mut after.name);
    patch.logo_path.apply(&mut after.logo_path);
    let mut notice = None;
    if after != *before && alias.is_some() {
        after.clone_from(before);
        notice = Some(Notice::CompanyByAlias);
    }
    if after != *before && !may_change(by, before) {
        after.clone_from(before);
        notice = Some(Notice::CompanyOfAnother);
    }
    if keep(before, &mut after) {
        notice = Some(Notice::CompanyOfOperator);
    }
    let mut is_left = false;
    if after != *before && put.company_named != NamedBefore::No {
        after.clone_from(before);
        is_left = put.company_named == NamedBefore::Alike;
        notice = notice.or_else(|| (!is_left).then_some(Notice::CompanyNamedBefore));
    }
    let write = CompanyWrite::between(before, &after, Actor::Client(by.client), now);
    Some(Pushed {
        after,
        alias,
        is_update: write.is_some(),
        write: write.map(|write| of_push(write, by)),
        notice,
        is_left,
    })
}

fn found(id: CompanyId, put: &PutPosting, now: OffsetDateTime) -> Option<Pushed> {
    let (patch, by) = (put.patch.company(), put.by);
    // The line that first named the company sets the name and logo. That line may be decided later,
    // or in a concurrent commit.
    let is_named = put.company_named != NamedBefore::No;
    let is_alike = put.company_named == NamedBefore::Alike;
    let logo_path = patch.logo_path.value();
    let after = Company {
        id,
        name: patch.name.value()?.clone(),
        website: patch.website_url.value()?.website()?,
        logo_path: logo_path.filter(|_| !is_named).cloned(),
        owner: Some(by.client),
        kept: Kept::default(),
        alias_of: None,
    };
    let write = CompanyWrite {
        sets_name: !is_named,
        // A concurrent commit may create the company with a logo, which must stay.
        sets_logo_path: after.logo_path.is_some(),
        ..CompanyWrite::new(after.clone(), Actor::Client(by.client), now)
    };
    Some(Pushed {
        after,
        alias: None,
        write: Some(of_push(write, by)),
        is_update: false,
        notice: logo_path
            .filter(|_| is_named && !is_alike)
            .map(|_| Notice::CompanyNamedBefore),
        is_left: is_alike && logo_path.is_some(),
    })
}

fn may_change(by: Principal, company: &Company) -> bool {
    required_owner(by).is_none() || required_owner(by) == company.owner
}

/// The owner whose companies a client may change; `None` if it may change all.
fn required_owner(by: Principal) -> Option<ClientId> {
    by.is_fenced.then_some(by.client)
}

/// Restores the parts that an operator set. Returns whether the push had changed one.
fn keep(before: &Company, after: &mut Company) -> bool {
    let name = before.kept.name && after.name != before.name;
    let logo = before.kept.logo && after.logo_path != before.logo_path;
    if name {
        after.name.clone_from(&before.name);
    }
    if logo {
        after.logo_path.clone_from(&before.logo_path);
    }
    name || logo
}

fn of_push(write: CompanyWrite, by: Principal) -> CompanyWrite {
    CompanyWrite {
        required_owner: required_owner(by),
        ..write
    }
}

/// An operator's change of a company.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CompanyChange {
    /// The name and logo to set. Its website is ignored.
    pub patch: CompanyPatch,
    /// The owner. If it is cleared, no client with prefixes may change the company.
    pub owner: Patch<ClientId>,
    /// The parts that clients may change again.
    pub release: Kept,
}

/// The write of an operator's change; `None` if nothing changes.
pub fn change(
    before: &Company,
    change: &CompanyChange,
    by: Actor,
    now: OffsetDateTime,
) -> Option<CompanyWrite> {
    let (patch, release) = (&change.patch, change.release);
    let mut after = before.clone();
    patch.name.apply_required(&mut after.name);
    patch.logo_path.apply(&mut after.logo_path);
    change.owner.apply(&mut after.owner);
    after.kept = Kept {
        name: (before.kept.name || patch.name != Patch::Keep) && !release.name,
        logo: (before.kept.logo || patch.logo_path != Patch::Keep) && !release.logo,
    };
    CompanyWrite::between(before, &after, by, now)
}
