//! Writes of companies.

use kernel::{
    Actor, ClientId, CompanyId, StoreError,
    testing::{Absent, Checked, by_ann, noon, uuid},
};

use super::{load, posting, put};
use crate::{
    company::{Company, CompanyWrite, Kept},
    posting::Lifetime,
    store::{Store, WriteSet},
    testing::{company, company_write, create, push, pusher},
    usecase::Batch,
};

/// Writes a company with a change of these parts: name, logo path, owner.
async fn upsert<S: Store>(store: &S, company: &Company, sets: [bool; 3]) -> Checked {
    let mut writes = WriteSet::new(noon());
    let mut write = company_write(company, sets[0], sets[1]);
    write.sets_owner = sets[2];
    writes.companies.insert(company.id, write);
    Ok(store.commit(writes).await?)
}

pub(super) async fn find<S: Store>(store: &S, id: CompanyId) -> Checked<Option<Company>> {
    Ok(store.load(&[], &[id]).await?.companies.get(&id).cloned())
}

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
    async fn an_upsert_sets_only_what_it_says(store: &S) {
        let other = Some(ClientId::new(uuid(2)));
        let mut expect = company("acme");
        for (sets, name, logo_path, owner) in [
            ([false; 3], "acme", Some("/1.svg"), other),
            ([true, false, false], "Acme AB", None, None),
            ([false, true, false], "ignored", Some("/2.svg"), None),
            ([false, true, false], "ignored", None, None),
            (
                [false, false, true],
                "ignored",
                Some("/3.svg"),
                Some(pusher()),
            ),
            ([false; 3], "ignored", Some("/3.svg"), None),
            ([false, false, true], "ignored", None, None),
        ] {
            let said = Company {
                name: name.into(),
                logo_path: logo_path.map(str::to_owned),
                owner,
                ..company("acme")
            };
            let is_new = find(store, said.id).await?.is_none();
            upsert(store, &said, sets).await?;
            if is_new || sets[0] {
                expect.name = said.name;
            }
            if is_new || sets[1] {
                expect.logo_path = said.logo_path;
            }
            if is_new || sets[2] {
                expect.owner = owner;
            }
            assert_eq!(
                find(store, said.id).await?.as_ref(),
                Some(&expect),
                "{sets:?}"
            );
        }
    },
    /// The push may have been decided before the operator's change.
    async fn a_push_does_not_undo_what_an_operator_set_meanwhile(store: &S) {
        put(store, &[create("a", "acme")]).await?;
        let ann = || Actor::Operator(Some(by_ann(1).operator));
        let client = || Actor::Client(pusher());
        let write = |by: Actor, name: &str, logo: Option<&str>, sets: [bool; 2], kept| {
            let company = Company {
                name: name.into(),
                logo_path: logo.map(str::to_owned),
                kept,
                ..company("acme")
            };
            let mut writes = WriteSet::new(noon());
            let write = company_write(&company, sets[0], sets[1]);
            let write = CompanyWrite { by, ..write };
            writes.companies.insert(company.id, write);
            store.commit(writes)
        };
        let nothing = Kept::default();
        let all = Kept {
            name: true,
            logo: true,
        };
        let only_logo = Kept { name: false, ..all };
        let name = [true, false];
        write(ann(), "Acme", None, name, Kept { logo: false, ..all }).await?;
        write(ann(), "ignored", None, [false, true], only_logo).await?;
        for sets in [name, [false, true], [true, true]] {
            let pushed = write(client(), "Evil", Some("/evil.svg"), sets, nothing).await;
            assert_eq!(pushed, Err(StoreError::Conflict), "{sets:?}");
        }
        write(client(), "Evil", Some("/evil.svg"), [false, false], nothing).await?;
        let stored = find(store, company("acme").id).await?.ok_or(Absent)?;
        assert_eq!((&*stored.name, stored.logo_path), ("Acme", None));
        assert_eq!(stored.kept, all);
        write(ann(), "Acme", None, name, nothing).await?;
        write(client(), "Acme AB", Some("/evil.svg"), name, nothing).await?;
        let stored = find(store, company("acme").id).await?.ok_or(Absent)?;
        assert_eq!((&*stored.name, stored.logo_path), ("Acme AB", None));
        assert_eq!(stored.kept, only_logo);
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
        for n in 0..20 {
            rename(store, &[&n.to_string()]).await?;
        }
        let names = former_names(store).await?;
        assert_eq!((names.len(), &*names[0], &*names[19]), (20, "18", "Dune"));
    },
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
    /// Two commits are decided on the same state. The second commit replaces a name that its
    /// decision did not know.
    async fn a_company_keeps_the_name_of_a_commit_that_was_quicker(store: &S) {
        put(store, &[create("a", "acme")]).await?;
        for name in ["Bolt", "Core", "Core"] {
            let renamed = Company {
                name: name.into(),
                ..company("acme")
            };
            upsert(store, &renamed, [true, false, false]).await?;
        }
        assert_eq!(former_names(store).await?, ["Bolt", "acme"]);
    },
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
        upsert(store, &company("acme"), [true, false, false]).await?;
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
);
