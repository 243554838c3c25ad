//! Catalogues: leases, the postings that belong to them, and the last import.

mod catalogue_leases;
mod catalogue_lists;
mod missing;

use kernel::{
    CatalogueName, ClientId, Prefixes,
    testing::{Absent, AddClient, Checked, hours, minutes, noon, uuid, valid},
};
use time::OffsetDateTime;

pub use self::{catalogue_leases::*, catalogue_lists::*, missing::*};
use crate::{
    catalogue::{
        Catalogue, CatalogueId, CatalogueLease, CatalogueQuery, Catalogues, Leased, PastImport,
    },
    import::Summary,
    posting::PutPosting,
    testing::create,
};

kernel::contract_cases!(catalogues: catalogue_leases missing catalogue_lists);

fn name(text: &str) -> CatalogueName {
    valid(CatalogueName::new(text))
}

fn catalogue(n: u128) -> CatalogueId {
    CatalogueId::new(uuid(n))
}

fn of(n: u128) -> ClientId {
    ClientId::new(uuid(n))
}

fn held(catalogue: u128, holder: u128) -> CatalogueLease {
    CatalogueLease {
        catalogue: CatalogueId::new(uuid(catalogue)),
        holder: uuid(holder),
    }
}

async fn with_clients<S: AddClient>(store: &S) -> Checked {
    for n in [1, 2] {
        store.add_client(of(n), Prefixes::ALL).await?;
    }
    Ok(())
}

/// Requests the catalogue `text` of client 1 for an hour, as the holder `n` at this time. A new
/// catalogue gets the id `n`.
fn query(text: &str, n: u128, now: OffsetDateTime) -> CatalogueQuery {
    CatalogueQuery {
        client: of(1),
        name: name(text),
        new_id: Some(catalogue(n)),
        holder: uuid(n),
        now,
        until: now + hours(1),
    }
}

async fn ask<S: Catalogues>(store: &S, query: &CatalogueQuery) -> Checked<Leased> {
    Ok(store.lease(query).await?)
}

async fn lease<S: Catalogues>(
    store: &S,
    text: &str,
    n: u128,
    now: OffsetDateTime,
) -> Checked<CatalogueLease> {
    Ok(match ask(store, &query(text, n, now)).await? {
        Leased::Held(lease) => lease,
        other => panic!("{text}: {other:?}"),
    })
}

async fn found<S: Catalogues>(store: &S, text: &str, now: OffsetDateTime) -> Checked<Catalogue> {
    let found = Catalogues::find(store, of(1), &name(text), now).await;
    Ok(found?.ok_or(Absent)?)
}

fn listed(ids: &[&str], lease: CatalogueLease) -> Vec<PutPosting> {
    let put = |id: &&str| create(id, "acme").listed_in(lease.catalogue);
    ids.iter().map(put).collect()
}

fn past(summary: Summary) -> PastImport {
    PastImport {
        started_at: noon(),
        finished_at: noon() + minutes(7),
        summary,
    }
}
