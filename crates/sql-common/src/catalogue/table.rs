use diesel::sql_types::{BigInt, Bool, Nullable, Text};
use domain::{
    catalogue::{CatalogueLease, CatalogueQuery, PastImport},
    import::{LineCounts, Missing},
};

use crate::{
    entity,
    stored::signed,
    types::{Id, Moment},
};

#[derive(Clone, Debug)]
pub struct ImportRecord {
    pub lease: CatalogueLease,
    pub import: PastImport,
}

impl ImportRecord {
    const fn counts(&self) -> &LineCounts {
        &self.import.summary.counts
    }

    const fn missing(&self) -> Option<&Missing> {
        self.import.summary.missing.as_ref()
    }
}

entity! {
    CatalogueRow = catalogues of CatalogueQuery {
        fixed {
            id: Id = Id(|query| Some(query.new_id?.uuid())),
            client_id: Id = Id(|query| Some(query.client.uuid())),
            name: Text = Text(|query| Some(query.name.as_str())),
            created_at: Moment = Time(|query| Some(query.now)),
        }
        changing {
            holder: Nullable<Id> = Id(|query| Some(query.holder)),
            leased_until: Nullable<Moment> = Time(|query| Some(query.until)),
        }
    }
}

entity! {
    ImportRow = catalogue_imports of ImportRecord {
        fixed {
            catalogue_id: Id = Id(|record| Some(record.lease.catalogue.uuid())),
            import: Id = Id(|record| Some(record.lease.holder)),
            started_at: Moment = Time(|record| Some(record.import.started_at)),
            finished_at: Moment = Time(|record| Some(record.import.finished_at)),
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
                Some(&record.counts().notices)
            }),
            changes: Nullable<Text> = Document(|record| {
                record.import.summary.changes.as_ref().map(|it| it as _)
            }),
            missing: Nullable<BigInt> = Integer(|record| Some(signed(record.missing()?.count))),
            is_complete: Bool = Bool(|record| record.import.summary.complete),
        }
        changing {
            missing_expired: Nullable<BigInt> = Integer(|record| {
                Some(signed(record.missing()?.expired))
            }),
            held_because: Nullable<Text> = Text(|record| Some(record.missing()?.held?.as_str())),
            is_released: Bool = Bool(|record| record.missing().is_some_and(|it| it.released)),
        }
    }
}
