//! Upserting companies.

use kernel::{
    ClientId, CompanyId, StoreError,
    testing::{Absent, Checked, noon, uuid},
};

use super::{load, posting, put};
use crate::{
    company::{Company, FORMER_NAMES},
    posting::Lifetime,
    store::{Store, WriteSet},
    testing::{company, company_write, create, push, pusher},
    usecase::Batch,
};

async fn upsert<S: Store>(
    store: &S,
    company: &Company,
    sets_name: bool,
    sets_logo_path: bool,
) -> Checked {
    let mut writes = WriteSet::new(noon());
    let write = company_write(company, sets_name, sets_logo_path);
    writes.companies.insert(company.id, write);
    store.commit(writes).await?;
    Ok(())
}

pub(super) async fn find<S: Store>(store: &S, id: CompanyId) -> Checked<Option<Company>> {
    Ok(store.load(&[], &[id]).await?.companies.get(&id).cloned())
}

/// Gives the company of the posting `a` these names, in one commit, and returns its former ones.
async fn rename<S: Store>(store: &S, names: &[&str]) -> Checked<Vec<String>> {
    let body = |name: &&str| format!(r#"{{"company":{{"name":"{name}"}}}}"#);
    let batch: Vec<_> = names.iter().map(|name| push("a", &body(name))).collect();
    put(store, &batch).await?;
    former_names(store).await
}

async fn former_names<S: Store>(store: &S) -> Checked<Vec<String>> {
    let posting = posting(store, "a").await?;
    let mut snapshot = store.load_by_id(&[posting.id]).await?;
    let names = snapshot.former_names.remove(&posting.company_id);
    Ok(names.unwrap_or_default())
}

kernel::contract_cases!(
    companies,
    impl Store,
    /// Two writers of different fields do not undo each other.
    async fn an_upsert_sets_only_what_it_says(store: &S) {
        let first = Company {
            logo_path: Some("/1.svg".into()),
            ..company("acme")
        };
        upsert(store, &first, true, true).await?;
        let renamed = Company {
            name: "Acme AB".into(),
            logo_path: None,
            ..company("acme")
        };
        upsert(store, &renamed, true, false).await?;
        let with_logo = Company {
            name: "ignored".into(),
            logo_path: Some("/2.svg".into()),
            ..company("acme")
        };
        upsert(store, &with_logo, false, true).await?;
        let after = find(store, first.id).await?.ok_or(Absent)?;
        assert_eq!(
            (after.name.as_str(), after.logo_path.as_deref()),
            ("Acme AB", Some("/2.svg"))
        );
        upsert(store, &company("acme"), false, true).await?;
        assert_eq!(find(store, first.id).await?.ok_or(Absent)?.logo_path, None);
    },
    async fn a_company_keeps_the_names_that_it_had(store: &S) {
        put(store, &[create("a", "acme"), create("b", "bolt")]).await?;
        assert_eq!(former_names(store).await?, [""; 0]);
        for (names, former) in [
            (&["Årc \\\""] as &[_], &["acme"] as &[_]),
            (&["Dune"], &["Årc \"", "acme"]),
            (&["Dune"], &["Årc \"", "acme"]),
            (&["acme"], &["Dune", "Årc \""]),
            (&["Elm", "Fir", "Dune"], &["Fir", "Elm", "acme", "Årc \""]),
            (&["Gum", "Dune"], &["Gum", "Fir", "Elm", "acme", "Årc \""]),
        ] {
            assert_eq!(rename(store, names).await?, former, "{names:?}");
        }
        let logo = push("a", r#"{"company":{"logo_path":"/1.svg"}}"#);
        put(store, &[logo]).await?;
        assert_eq!(former_names(store).await?.len(), 5);
        for n in 0..FORMER_NAMES {
            rename(store, &[&n.to_string()]).await?;
        }
        let names = former_names(store).await?;
        assert_eq!(names.len(), FORMER_NAMES);
        assert_eq!((names[0].as_str(), names[19].as_str()), ("18", "Dune"));
    },
    /// Postings pushed together, each with another name on the same website.
    async fn a_company_keeps_the_names_of_one_commit(store: &S) {
        let body = |name: &str| {
            format!(
                r#"{{"title": "Cook", "raw_description": "At {name}.",
                    "application_url": "https://acme.example",
                    "company": {{"name": "{name}", "website_url": "https://acme.example"}}}}"#
            )
        };
        put(store, &[push("a", &body("One")), push("b", &body("Two"))]).await?;
        assert_eq!(former_names(store).await?, ["One"]);
        put(store, &[push("c", &body("Three")), push("d", &body("One"))]).await?;
        assert_eq!(former_names(store).await?, ["Three", "Two"]);
    },
    /// Two commits that were decided on the same state: the second replaces a name that its
    /// decision did not know.
    async fn a_company_keeps_the_name_of_a_commit_that_was_quicker(store: &S) {
        put(store, &[create("a", "acme")]).await?;
        for name in ["Bolt", "Core", "Core"] {
            let renamed = Company {
                name: name.into(),
                ..company("acme")
            };
            upsert(store, &renamed, true, false).await?;
        }
        assert_eq!(former_names(store).await?, ["Bolt", "acme"]);
    },
    /// An owner may be another one by the time of the commit, and then nothing of it is written.
    async fn a_write_that_requires_an_owner_conflicts_with_another(store: &S) {
        let others = Some(ClientId::new(uuid(2)));
        let commit = |name: &str, host: &str, required_owner| {
            let named = Company {
                name: name.into(),
                owner: required_owner,
                ..company(host)
            };
            let (put, mut batch) = (create(name, host), Batch::new(Lifetime::NEVER, noon()));
            let decided = batch.decide(&put, noon());
            batch.record(&put, decided, noon());
            let (_, mut writes) = batch.finish();
            let mut write = company_write(&named, true, false);
            write.required_owner = required_owner;
            writes.companies.insert(named.id, write);
            store.commit(writes)
        };
        put(store, &[create("a", "acme")]).await?;
        assert_eq!(commit("x", "acme", others).await, Err(StoreError::Conflict));
        assert!(load(store, &["x"]).await?.postings.is_empty());
        assert_eq!(
            find(store, company("acme").id).await?,
            Some(company("acme"))
        );
        // One that finds the company as it wants it changes nothing, and holds.
        upsert(store, &company("acme"), true, false).await?;
        let mut writes = WriteSet::new(noon());
        let mut same = company_write(&company("acme"), true, false);
        same.required_owner = Some(pusher());
        writes.companies.insert(same.company.id, same);
        store.commit(writes).await?;
        for (name, host, owner) in [("y", "acme", Some(pusher())), ("z", "new", others)] {
            commit(name, host, owner).await?;
            let stored = find(store, company(host).id).await?.ok_or(Absent)?;
            assert_eq!((stored.name.as_str(), stored.owner), (name, owner));
        }
    },
    async fn an_owner_is_set_only_when_that_is_said(store: &S) {
        put(store, &[create("a", "acme")]).await?;
        for (sets_owner, owner, expect) in [
            (false, None, Some(pusher())),
            (true, None, None),
            (false, Some(pusher()), None),
            (true, Some(pusher()), Some(pusher())),
        ] {
            let said = Company {
                owner,
                ..company("acme")
            };
            let mut write = company_write(&said, false, false);
            write.sets_owner = sets_owner;
            let mut writes = WriteSet::new(noon());
            writes.companies.insert(said.id, write);
            store.commit(writes).await?;
            let stored = find(store, said.id).await?.ok_or(Absent)?;
            assert_eq!(stored.owner, expect);
            assert_eq!(stored.name, "acme");
        }
    },
);
