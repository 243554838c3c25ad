//! The columns of the table `catalogues`.

use diesel::sql_types::{BigInt, Bool, Nullable, Text};
use domain::{
    catalogue::{CatalogueQuery, PastImport},
    import::{Counts, Missing},
};

use crate::{
    entity,
    stored::signed,
    types::{Id, Moment},
};

/// What is written of a catalogue.
#[derive(Clone, Debug)]
pub enum CatalogueRecord {
    /// A new one, with the lease of its first import.
    New(CatalogueQuery),
    /// The import whose lease ends, of one that is there.
    Finished(PastImport),
}

impl CatalogueRecord {
    const fn query(&self) -> Option<&CatalogueQuery> {
        match self {
            Self::New(query) => Some(query),
            Self::Finished(_) => None,
        }
    }

    const fn import(&self) -> Option<&PastImport> {
        match self {
            Self::New(_) => None,
            Self::Finished(import) => Some(import),
        }
    }

    fn counts(&self) -> Counts {
        let counts = self.import().map(|import| import.summary.counts);
        counts.unwrap_or_default()
    }

    fn missing(&self) -> Option<Missing> {
        self.import()?.summary.missing
    }
}

entity! {
    /// A catalogue.
    CatalogueRow = catalogues of CatalogueRecord {
        fixed {
            id: Id = Id(|record| Some(record.query()?.new_id?.uuid())),
            client_id: Id = Id(|record| Some(record.query()?.client.uuid())),
            name: Text = Text(|record| Some(record.query()?.name.as_str())),
            created_at: Moment = Time(|record| Some(record.query()?.now)),
        }
        changing {
            holder: Nullable<Id> = Id(|record| Some(record.query()?.holder)),
            leased_until: Nullable<Moment> = Time(|record| Some(record.query()?.until)),
            last_started_at: Nullable<Moment> = Time(|record| Some(record.import()?.started_at)),
            last_finished_at: Nullable<Moment> = Time(|record| Some(record.import()?.finished_at)),
            lines: BigInt = Integer(|record| Some(signed(record.counts().lines))),
            created: BigInt = Integer(|record| Some(signed(record.counts().created))),
            updated: BigInt = Integer(|record| Some(signed(record.counts().updated))),
            unchanged: BigInt = Integer(|record| Some(signed(record.counts().unchanged))),
            expired: BigInt = Integer(|record| Some(signed(record.counts().expired))),
            reopened: BigInt = Integer(|record| Some(signed(record.counts().reopened))),
            refused: BigInt = Integer(|record| Some(signed(record.counts().refused))),
            failed: BigInt = Integer(|record| Some(signed(record.counts().failed))),
            unattributed: BigInt = Integer(|record| Some(signed(record.counts().unattributed))),
            notices: Nullable<Text> = Document(|record| {
                Some(&record.import()?.summary.counts.notices)
            }),
            missing: Nullable<BigInt> = Integer(|record| Some(signed(record.missing()?.count))),
            missing_expired: Nullable<BigInt> = Integer(|record| {
                Some(signed(record.missing()?.expired))
            }),
            held_because: Nullable<Text> = Text(|record| Some(record.missing()?.held?.as_str())),
            is_complete: Bool = Bool(|record| {
                record.import().is_some_and(|import| import.summary.complete)
            }),
        }
    }
}
