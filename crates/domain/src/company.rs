//! Companies, which are identified by their website, and upserted with the postings that name them.

mod alike;
mod reader;

use fields::Website;
use kernel::{Actor, ClientId, CompanyId, StoreError, event::CompanyState};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

pub use self::{
    alike::{
        CompanyPair, CompanyPairView, PairKind, are_similar, is_lookalike, name_key, pair, site,
    },
    reader::CompanyReader,
};

/// A company as the rules see it. No rule reads the time of change, so it is not loaded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Company {
    /// Its id, derived from the key of its website.
    pub id: CompanyId,
    /// Its name, as last pushed.
    pub name: String,
    /// The website, as its creator sent it.
    pub website: Website,
    /// Path to its logo.
    pub logo_path: Option<String>,
    /// The client that owns it. Of the clients with prefixes, only the owner may change it.
    pub owner: Option<ClientId>,
    /// The parts that an operator set.
    pub kept: Kept,
    /// The company that this alias was merged into. Pushes that name the alias's website apply to
    /// that company.
    pub alias_of: Option<CompanyId>,
}

/// The parts of a company that an operator set. No push changes them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kept {
    /// The name.
    pub name: bool,
    /// The logo, or its absence.
    pub logo: bool,
}

impl Kept {
    /// The parts by name: `name`, `logo`.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        let parts = [(self.name, "name"), (self.logo, "logo")];
        parts
            .into_iter()
            .filter_map(|(is_kept, name)| is_kept.then_some(name))
    }
}

/// A company as readers see it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompanyView {
    /// The company.
    pub company: Company,
    /// When it was first pushed.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
    /// When it last changed: its name, logo, owner or merge, or the parts that an operator set.
    #[serde(with = "time::serde::rfc3339")]
    pub updated_at: OffsetDateTime,
    /// The actor of the last change; `None` if the change is from before actors were recorded.
    pub updated_by: Option<Actor>,
    /// When an operator last merged it into another company, or ended a merge.
    #[serde(with = "time::serde::rfc3339::option")]
    pub merged_at: Option<OffsetDateTime>,
}

impl From<&CompanyView> for CompanyState {
    fn from(view: &CompanyView) -> Self {
        view.company.state(view.updated_by.clone())
    }
}

impl Company {
    fn state(&self, updated_by: Option<Actor>) -> CompanyState {
        CompanyState {
            id: self.id,
            name: self.name.clone(),
            website: self.website.clone(),
            logo_path: self.logo_path.clone(),
            merged_into: self.alias_of,
            updated_by,
        }
    }
}

/// A company to insert or update. Companies are written without a version: the last writer wins
/// field by field, so writers of different fields never undo each other.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each says of one column whether it is set"
)]
pub struct CompanyWrite {
    /// The company after the write, as far as the writer knows. If the store does not have the
    /// company, it inserts this value.
    pub company: Company,
    /// Whether an update sets the name, and `kept.name` with it.
    pub sets_name: bool,
    /// Whether an update sets the logo path, and `kept.logo` with it.
    pub sets_logo_path: bool,
    /// Whether an update sets the owner.
    pub sets_owner: bool,
    /// Whether an update makes it an alias, or ends the alias. An alias accepts only such writes.
    pub sets_alias: bool,
    /// The owner that the stored company must have at the commit; `None` for any.
    pub required_owner: Option<ClientId>,
    /// The actor of the change.
    pub by: Actor,
    /// The time of the change.
    pub at: OffsetDateTime,
    /// The names that earlier commands of the same commit set, newest first.
    pub replaced_names: Vec<String>,
}

impl CompanyWrite {
    /// A write that changes nothing of an existing company.
    pub const fn new(company: Company, by: Actor, at: OffsetDateTime) -> Self {
        Self {
            company,
            sets_name: false,
            sets_logo_path: false,
            sets_owner: false,
            sets_alias: false,
            required_owner: None,
            by,
            at,
            replaced_names: Vec::new(),
        }
    }

    /// The write of the differences; `None` if there are none.
    pub fn between(
        before: &Company,
        after: &Company,
        by: Actor,
        at: OffsetDateTime,
    ) -> Option<Self> {
        (after != before).then(|| Self {
            sets_name: after.name != before.name || after.kept.name != before.kept.name,
            sets_logo_path: after.logo_path != before.logo_path
                || after.kept.logo != before.kept.logo,
            sets_owner: after.owner != before.owner,
            sets_alias: after.alias_of != before.alias_of,
            ..Self::new(after.clone(), by, at)
        })
    }

    /// Adds a later write of the same commit.
    pub fn then(&mut self, later: Self) {
        if self.sets_name {
            let replaced = std::iter::once(&self.company.name).chain(&self.replaced_names);
            self.replaced_names = former_names(&later.company.name, replaced);
        }
        self.company = later.company;
        self.by = later.by;
        self.at = later.at;
        self.sets_name |= later.sets_name;
        self.sets_logo_path |= later.sets_logo_path;
        self.sets_owner |= later.sets_owner;
        self.sets_alias |= later.sets_alias;
        self.required_owner = self.required_owner.or(later.required_owner);
    }

    /// Whether the write must not change parts that an operator set.
    pub const fn yields(&self) -> bool {
        !matches!(self.by, Actor::Operator(_))
    }

    /// The stored company after this write; unset parts stay.
    ///
    /// [`StoreError::Conflict`] if the stored company has another owner than required, or is an
    /// alias and the write does not set its alias. A [yielding](Self::yields) write that sets an
    /// operator's part is a conflict, too.
    pub fn applied_to(&self, stored: Option<&Company>) -> Result<Company, StoreError> {
        let Some(stored) = stored else {
            return Ok(self.company.clone());
        };
        let kept = stored.kept;
        let is_kept = self.sets_name && kept.name || self.sets_logo_path && kept.logo;
        let is_of_another = self.required_owner.is_some() && self.required_owner != stored.owner;
        let is_alias = stored.alias_of.is_some() && !self.sets_alias;
        if is_of_another || is_alias || self.yields() && is_kept {
            return Err(StoreError::Conflict);
        }
        let mut after = stored.clone();
        if self.sets_name {
            after.name.clone_from(&self.company.name);
            after.kept.name = self.company.kept.name;
        }
        if self.sets_logo_path {
            after.logo_path.clone_from(&self.company.logo_path);
            after.kept.logo = self.company.kept.logo;
        }
        if self.sets_owner {
            after.owner = self.company.owner;
        }
        if self.sets_alias {
            after.alias_of = self.company.alias_of;
        }
        Ok(after)
    }

    /// The company's view after this write, from the stored view.
    ///
    /// [`StoreError::Conflict`] as for [`Self::applied_to`].
    pub fn view(&self, stored: Option<&CompanyView>) -> Result<CompanyView, StoreError> {
        let company = self.applied_to(stored.map(|stored| &stored.company))?;
        Ok(match stored {
            Some(stored) if stored.company == company => stored.clone(),
            stored => CompanyView {
                company,
                created_at: stored.map_or(self.at, |stored| stored.created_at),
                updated_at: self.at,
                updated_by: Some(self.by.clone()),
                merged_at: self.merged_at().or(stored.and_then(|it| it.merged_at)),
            },
        })
    }

    /// The time of the write if it merges the company or ends its merge.
    pub fn merged_at(&self) -> Option<OffsetDateTime> {
        self.sets_alias.then_some(self.at)
    }

    /// The state for an event about the company.
    pub fn state(&self) -> CompanyState {
        self.company.state(Some(self.by.clone()))
    }

    /// The former names after this write, from the stored name and former names; `None` if
    /// unchanged.
    pub fn former_names(&self, stored: Option<(&str, &[String])>) -> Option<Vec<String>> {
        if !self.sets_name {
            return None;
        }
        let replaced = self.replaced_names.iter().map(String::as_str);
        let (name, former) = stored.unzip();
        let former = former.unwrap_or_default();
        let newest_first = replaced
            .chain(name)
            .chain(former.iter().map(String::as_str));
        let names = former_names(&self.company.name, newest_first);
        (names != former).then_some(names)
    }
}

/// The number of former names that a company keeps.
pub const FORMER_NAMES: usize = 20;

/// The newest former names, without repetitions and without the present name.
pub fn former_names<T: AsRef<str>>(
    name: &str,
    newest_first: impl IntoIterator<Item = T>,
) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for former in newest_first {
        let former = former.as_ref();
        if names.len() == FORMER_NAMES {
            break;
        }
        if former != name && !names.iter().any(|known| known == former) {
            names.push(former.to_owned());
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use kernel::testing::{hours, noon, uuid};

    use super::*;
    use crate::testing;

    type Change = fn(&mut Company);

    /// Changes of one part, each with whether its write sets name, logo path, owner and alias.
    const CHANGES: [(Change, [bool; 4]); 6] = [
        (|it| it.name.push('x'), [true, false, false, false]),
        (
            |it| it.kept.name = !it.kept.name,
            [true, false, false, false],
        ),
        (
            |it| it.logo_path.get_or_insert_default().push('x'),
            [false, true, false, false],
        ),
        (
            |it| it.kept.logo = !it.kept.logo,
            [false, true, false, false],
        ),
        (
            |it| it.owner = Some(ClientId::new(uuid(it.owner.map_or(8, |_| 9)))),
            [false, false, true, false],
        ),
        (
            |it| it.alias_of = Some(CompanyId::new(uuid(it.alias_of.map_or(8, |_| 9)))),
            [false, false, false, true],
        ),
    ];

    #[test]
    fn two_writes_set_the_parts_that_either_changed() {
        let before = Company {
            owner: None,
            ..testing::company("acme")
        };
        for (first, first_sets) in CHANGES {
            for (second, second_sets) in CHANGES {
                let (mut between, later) = (before.clone(), noon() + hours(1));
                first(&mut between);
                let mut after = between.clone();
                second(&mut after);
                let write = CompanyWrite::between(&before, &between, Actor::Enricher, noon());
                let mut write = write.unwrap();
                let by = Actor::Operator(None);
                write.then(CompanyWrite::between(&between, &after, by.clone(), later).unwrap());
                let sets = [
                    write.sets_name,
                    write.sets_logo_path,
                    write.sets_owner,
                    write.sets_alias,
                ];
                let expect = std::array::from_fn(|at| first_sets[at] || second_sets[at]);
                assert_eq!(sets, expect, "{after:?}");
                assert_eq!((&write.by, write.at), (&by, later));
                assert!(first_sets[0] || write.replaced_names.is_empty());
                let former = write.former_names(Some(("Former", &[])));
                assert_eq!(former.is_some(), expect[0], "{after:?}");
                assert_eq!(write.applied_to(Some(&before)).unwrap(), after);
            }
        }
    }

    #[test]
    fn kept_parts_have_names() {
        for (name, logo, expect) in [
            (true, false, &["name"][..]),
            (false, true, &["logo"]),
            (true, true, &["name", "logo"]),
        ] {
            assert!(Kept { name, logo }.names().eq(expect.iter().copied()));
        }
    }

    #[test]
    fn the_newest_names_are_kept_without_repeats() {
        for (name, newest_first, expect) in [
            ("A", vec![], vec![]),
            ("A", vec!["A"], vec![]),
            ("C", vec!["B", "A"], vec!["B", "A"]),
            ("A", vec!["B", "A", "C", "B"], vec!["B", "C"]),
        ] {
            assert_eq!(
                former_names(name, &newest_first),
                expect,
                "{newest_first:?}"
            );
        }
        let many: Vec<_> = (0..50).map(|n| n.to_string()).collect();
        assert_eq!(former_names("1", &many).len(), FORMER_NAMES);
        assert_eq!(former_names("1", &many)[..2], ["0", "2"]);
    }
}
