use domain::{
    company::{Company, CompanyPair, Kept},
    store::{Reads as _, Store as _, WriteSet},
    testing::{create, pusher},
};
use fields::Website;
use kernel::{
    ClientId, CompanyId, Prefixes,
    testing::{noon, uuid},
};

use crate::support::{Desk, EVIL, encoded};

async fn desk(hosts: &[&str]) -> Desk {
    let desk = Desk::new();
    for (id, name) in [(pusher(), EVIL), (ClientId::new(uuid(78)), "bolt")] {
        desk.add_client(id, name, Prefixes::ALL).await;
    }
    let puts: Vec<_> = hosts.iter().map(|host| create(host, host)).collect();
    desk.push(&puts).await;
    desk
}

fn id(host: &str) -> CompanyId {
    CompanyId::of(
        &Website::parse(&format!("https://{host}.example"))
            .unwrap()
            .key(),
    )
}

async fn company(desk: &Desk, host: &str) -> Company {
    let known = desk.store.load(&[], &[id(host)]).await.unwrap();
    known.companies[&id(host)].clone()
}

fn value<'a>(page: &'a str, name: &str) -> &'a str {
    let (_, rest) = page.split_once(&format!(" name=\"{name}\"")).unwrap();
    let (_, rest) = rest.split_once(" value=\"").unwrap();
    rest.split('"').next().unwrap()
}

#[tokio::test]
async fn companies_are_listed_by_website_from_one_on() {
    let hosts: Vec<_> = (0..120).map(|n| format!("c{n:03}")).collect();
    let hosts: Vec<_> = hosts.iter().map(String::as_str).collect();
    let desk = desk(&hosts).await;
    let ann = desk.operator("ann").await;
    let list = async |path: &str| {
        let page = ann.get(path).await;
        assert_eq!(page.status, 200, "{}", page.body);
        let rows = page.body.split("<small translate=\"no\">https://").skip(1);
        let rows = rows.map(|rest| rest.split('.').next().unwrap().to_owned());
        (rows.collect::<Vec<_>>(), page.next())
    };
    let (first, next) = list("/companies").await;
    assert_eq!(first, hosts[..50]);
    let (second, next) = list(&next.unwrap()).await;
    assert_eq!(second, hosts[50..100]);
    assert_eq!(
        list(&next.unwrap()).await,
        (
            hosts[100..].iter().map(|it| (*it).to_owned()).collect(),
            None
        )
    );
    for (from, start) in [
        ("https://c115.example", 115),
        ("HTTPS://C115.example/", 115),
        ("c115", 115),
        ("http://a", 0),
    ] {
        let (found, next) = list(&format!("/companies?from={from}")).await;
        let end = (start + 50).min(120);
        assert_eq!(found, hosts[start..end], "{from}");
        assert_eq!(next.is_some(), end < 120, "{from}");
    }
    let (_, next) = list("/companies?from=c010.example").await;
    assert_eq!(list(&next.unwrap()).await.0, hosts[60..110]);
    assert_eq!(list("/companies?from=d").await, (vec![], None));
}

#[tokio::test]
async fn a_company_is_renamed_and_given_to_another_client() {
    let desk = desk(&["acme"]).await;
    let ann = desk.operator("ann").await;
    let posting = desk.posting("acme").await.id;
    let path = format!("/companies/{}", id("acme"));
    let page = ann.get(&format!("/postings/{posting}")).await;
    page.has(&[&format!("href=\"{path}\"")]);
    let page = ann.get(&path).await;
    page.has(&[&format!(
        "href=\"/clients/{}\">&#34;&#39;&#62;&#60;script",
        pusher()
    )]);
    assert_eq!(value(&page.body, "owner"), pusher().to_string());

    let bolt = ClientId::new(uuid(78));
    for (name, logo, owner) in [(EVIL, "/acme.svg", Some(bolt)), ("Acme AB", "", None)] {
        let page = ann.get(&path).await;
        let sent = owner.map_or("none".to_owned(), |owner| owner.to_string());
        let (seen, typed) = (value(&page.body, "seen"), encoded(name));
        let form = format!("seen={seen}&name={typed}&logo_path={logo}&owner={sent}");
        let page = ann.follow(&path, &form).await;
        page.has(&[
            "role=\"status\">The company is saved.",
            "<dd>operator:ann</dd>",
        ]);
        page.lacks(&["<script>alert"]);
        assert_eq!(value(&page.body, "owner"), sent);
        let company = company(&desk, "acme").await;
        assert_eq!((&*company.name, company.owner), (name, owner));
        assert_eq!(company.logo_path.unwrap_or_default(), logo);
    }
    assert_eq!(desk.audit().await[2..], ["ann companies.update"; 2]);
}

#[tokio::test]
async fn what_an_operator_sets_of_a_company_is_kept_and_released() {
    let desk = desk(&["acme"]).await;
    let ann = desk.operator("ann").await;
    let path = format!("/companies/{}", id("acme"));
    let send = async |name: &str, release: &str| {
        let page = ann.get(&path).await;
        let (seen, owner) = (value(&page.body, "seen"), pusher());
        let form = format!("seen={seen}&name={name}&logo_path=&owner={owner}{release}");
        ann.follow(&path, &form).await
    };
    let page = send("Acme+AB", "").await;
    page.has(&[
        "<dd>name; pushes do not change it</dd>",
        "name=\"release_name\"",
    ]);
    page.lacks(&["name=\"release_logo\""]);
    let kept = company(&desk, "acme").await.kept;
    assert_eq!((kept.name, kept.logo), (true, false));
    send("Acme+AB", "&release_name=yes")
        .await
        .lacks(&["release_name"]);
    assert_eq!(company(&desk, "acme").await.kept, Kept::default());
}

#[tokio::test]
async fn a_change_of_a_company_that_is_refused_is_shown_at_its_field() {
    let desk = desk(&["acme"]).await;
    let ann = desk.operator("ann").await;
    let path = format!("/companies/{}", id("acme"));
    let page = ann.get(&path).await;
    let seen = value(&page.body, "seen");
    let before = company(&desk, "acme").await;
    let (owner, stranger) = (pusher(), uuid(79));
    let meanwhile = "Nothing was changed. The company has changed meanwhile";
    let seen_by = |owner: &str| format!("seen={seen}&owner={owner}");
    let good = seen_by(&owner.to_string());
    for (name, rest, status, told) in [
        ("", &*good, 422, "id=\"fault-name\">"),
        (
            "A",
            &format!("{good}&logo_path=javascript:alert(1)"),
            422,
            "id=\"fault-logo_path\">",
        ),
        ("A", &seen_by(""), 422, "id=\"fault-owner\">"),
        ("A", &seen_by("nobody"), 422, "id=\"fault-owner\">"),
        (
            "A",
            &seen_by(&stranger.to_string()),
            422,
            "id=\"fault-owner\">",
        ),
        ("A", &format!("seen=7&owner={owner}"), 409, meanwhile),
    ] {
        let refused = ann.post(&path, &format!("name={name}&{rest}")).await;
        assert_eq!(refused.status, status, "{rest} {}", refused.body);
        refused.has(&[told]);
        assert_eq!(value(&refused.body, "name"), name, "what was typed");
        assert_eq!(value(&refused.body, "seen"), seen);
        assert_eq!(company(&desk, "acme").await, before, "{rest}");
    }
    for gone in ["/companies/x", &format!("/companies/{}", id("bolt"))] {
        assert_eq!(ann.get(gone).await.status, 404);
    }
}

#[tokio::test]
async fn companies_are_merged_and_given_back() {
    let desk = desk(&["acme", "bolt"]).await;
    let ann = desk.operator("ann").await;
    let (acme, bolt) = (id("acme"), id("bolt"));
    let path = format!("/companies/{acme}");
    ann.get(&path)
        .await
        .has(&["Postings, pending", "name=\"into\""]);
    for (form, status, told) in [
        (format!("into={bolt}"), 422, "id=\"fault-reason\">"),
        (
            "into=bolt+example&reason=one".to_owned(),
            422,
            "id=\"fault-into\">",
        ),
        (
            format!("into={acme}&reason=one"),
            409,
            "both websites name the same company",
        ),
    ] {
        let refused = ann.post(&path, &format!("action=merge&{form}")).await;
        assert_eq!(refused.status, status, "{}", refused.body);
        refused.has(&[told]);
    }
    let form = "action=merge&into=bolt.example/&reason=one";
    ann.follow(&path, form)
        .await
        .has(&["role=\"status\">The company is merged"]);
    let page = ann.get(&path).await;
    page.has(&["This company was merged into", "value=\"unmerge\""]);
    let page = ann.get(&format!("/companies/{bolt}")).await;
    page.has(&["<h2>Aliases</h2>", &format!("href=\"{path}\"")]);
    ann.get("/companies?name=Bolt").await.has(&["bolt.example"]);
    ann.get("/companies").await.lacks(&["acme.example"]);
    let page = ann.follow(&path, "action=unmerge&reason=two").await;
    page.has(&["The company is separate again"]);
    assert_eq!(
        desk.audit().await[2..],
        ["ann companies.merge", "ann companies.unmerge"]
    );
}

#[tokio::test]
async fn pairs_are_suggested_until_they_are_marked_as_different() {
    let desk = desk(&["acme", "bolt"]).await;
    let ann = desk.operator("ann").await;
    let mut companies = [id("acme"), id("bolt")];
    companies.sort();
    let mut writes = WriteSet::new(noon());
    let pair = CompanyPair {
        companies,
        is_similar: true,
        lookalike: None,
        since: noon(),
    };
    writes.optional.pairs.insert(companies[0], vec![pair]);
    desk.store.commit(writes).await.unwrap();
    let page = ann.get("/companies/similar").await;
    page.has(&["acme.example", "bolt.example", "Not the same"]);
    let sent = format!("pair={}%2B{}", companies[0], companies[1]);
    let page = ann.follow("/companies/similar", &sent).await;
    page.has(&["There are none."]);
    assert_eq!(ann.post("/companies/similar", "pair=x").await.status, 422);
}
