//! Companies: matched by website, upserted with the postings that name them.

mod names;
mod website;

use std::fmt;

use time::OffsetDateTime;
use uuid::Uuid;

pub use self::names::{FORMER_NAMES, former_names};
pub(crate) use self::website::parse_web_url;
pub use self::website::{InvalidLogoPath, InvalidWebUrl, Website, check_logo_path, check_web_url};

/// A company's id: the `UUIDv5` (RFC 9562 §5.5, URL namespace) of its normalised website. The
/// same new company made in two places is therefore the same row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CompanyId(Uuid);

impl CompanyId {
    /// The id that follows from the company's website.
    pub fn of(website: &Website) -> Self {
        Self(Uuid::new_v5(
            &Uuid::NAMESPACE_URL,
            website.as_str().as_bytes(),
        ))
    }

    /// Wraps a stored id.
    pub const fn new(uuid: Uuid) -> Self {
        Self(uuid)
    }

    /// The UUID.
    pub const fn uuid(self) -> Uuid {
        self.0
    }
}

impl fmt::Display for CompanyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A company.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Company {
    /// Its id, derived from its website.
    pub id: CompanyId,
    /// Its name, as last pushed.
    pub name: String,
    /// The website, which identifies the company.
    pub website: Website,
    /// Path to its logo.
    pub logo_path: Option<String>,
}

/// A company to insert or update. Companies are written without a version: the last writer
/// wins, field by field, so two writers of different fields never undo each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompanyWrite {
    /// The company afterwards, as far as the writer knows: the values of an insert.
    pub company: Company,
    /// Whether an update sets the name.
    pub sets_name: bool,
    /// Whether an update sets the logo path.
    pub sets_logo_path: bool,
    /// The names that earlier commands of the same commit set, newest first: the company had them,
    /// though nobody saw them.
    pub replaced_names: Vec<String>,
    /// When it is written.
    pub at: OffsetDateTime,
}

impl CompanyWrite {
    /// Adds a later write of the same commit.
    pub fn then(&mut self, later: Self) {
        if self.sets_name {
            let replaced = std::iter::once(&self.company.name).chain(&self.replaced_names);
            self.replaced_names = former_names(&later.company.name, replaced);
        }
        self.company = later.company;
        self.sets_name |= later.sets_name;
        self.sets_logo_path |= later.sets_logo_path;
    }

    /// The company's former names after this write, by the name and the former names that the store
    /// has; `None` if it stays as it is.
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
