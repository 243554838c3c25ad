//! The pages of companies, and the form that changes one.

use domain::{
    company::Company,
    posting::Lifetime,
    store::Store as _,
    testing::{create, pusher},
    usecase::ingest,
};
use kernel::{
    ClientId, CompanyId, Prefixes, Website,
    testing::{identifier, noon, uuid},
};

use crate::support::Desk;

const EVIL: &str = "\"'><script>alert(1)</script>";

/// A desk with companies at these hosts, and their owner.
async fn desk(hosts: &[&str]) -> Desk {
    let desk = Desk::new();
    for (id, name) in [(pusher(), EVIL), (ClientId::new(uuid(78)), "bolt")] {
        desk.add_client(id, name, Prefixes::ALL).await;
    }
    let puts: Vec<_> = hosts.iter().map(|host| create(host, host)).collect();
    for answer in ingest(&*desk.store, &puts, Lifetime::NEVER, noon())
        .await
        .unwrap()
    {
        answer.unwrap();
    }
    desk
}

fn id(host: &str) -> CompanyId {
    CompanyId::of(&Website::parse(&format!("https://{host}.example")).unwrap())
}

async fn company(desk: &Desk, host: &str) -> Company {
    let known = desk.store.load(&[], &[id(host)]).await.unwrap();
    known.companies[&id(host)].clone()
}

/// The value of a hidden field or an input of a page.
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
    let cookie = desk.sign_in("ann").await;
    let list = async |path: &str| {
        let page = desk.get(path, &cookie).await;
        assert_eq!(page.status, 200, "{}", page.body);
        assert_eq!(page.body.matches("<script").count(), 1);
        let rows = page.body.split("<small translate=\"no\">https://").skip(1);
        let rows = rows.map(|rest| rest.split('.').next().unwrap().to_owned());
        let next = page.body.split_once("\" rel=\"next\"").map(|(before, _)| {
            let (_, href) = before.rsplit_once("href=\"").unwrap();
            href.replace("&#38;", "&")
        });
        (rows.collect::<Vec<_>>(), next)
    };
    let (first, next) = list("/companies").await;
    assert_eq!(first, hosts[..50]);
    let (second, next) = list(&next.unwrap()).await;
    assert_eq!(second, hosts[50..100]);
    assert_eq!(list(&next.unwrap()).await.0, hosts[100..]);
    for from in [
        "https://c115.example",
        "HTTPS://C115.example/",
        "c115",
        "http://x",
    ] {
        let start = if from == "http://x" { 0 } else { 115 };
        let path = format!("/companies?from={from}");
        let (found, next) = list(&path).await;
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
    let cookie = desk.sign_in("ann").await;
    let known = desk.store.load(&[identifier("acme")], &[]).await.unwrap();
    let posting = known.postings[&identifier("acme")].id;
    let page = desk.get(&format!("/postings/{posting}"), &cookie).await;
    let path = format!("/companies/{}", id("acme"));
    assert!(page.body.contains(&format!("href=\"{path}\"")));
    let page = desk.get(&path, &cookie).await;
    let owner = format!("href=\"/clients/{}\">&#34;&#39;&#62;&#60;script", pusher());
    assert!(page.body.contains(&owner), "{}", page.body);
    assert_eq!(page.body.matches("<script").count(), 1);
    assert_eq!(value(&page.body, "owner"), pusher().to_string());

    let bolt = ClientId::new(uuid(78));
    for (name, logo, owner) in [(EVIL, "/acme.svg", Some(bolt)), ("Acme AB", "", None)] {
        let page = desk.get(&path, &cookie).await;
        let sent = owner.map_or("none".to_owned(), |owner| owner.to_string());
        let form = [
            ("token", page.token()),
            ("seen", value(&page.body, "seen")),
            ("name", name),
            ("logo_path", logo),
            ("owner", &sent),
        ];
        let done = desk.post(&path, &cookie, &form).await;
        assert_eq!(done.status, 303, "{}", done.body);
        let page = desk.get(done.header("location"), &cookie).await;
        assert!(page.body.contains("role=\"status\">The company is saved."));
        assert_eq!(page.body.matches("<script").count(), 1);
        assert!(page.body.contains("<dd>operator:ann</dd>"));
        assert_eq!(value(&page.body, "owner"), sent);
        let company = company(&desk, "acme").await;
        assert_eq!((&*company.name, company.owner), (name, owner));
        assert_eq!(company.logo_path.unwrap_or_default(), logo);
    }
    assert_eq!(desk.audit().await[2..], ["ann companies.update"; 2]);
}

#[tokio::test]
async fn a_change_of_a_company_that_is_refused_is_shown_at_its_field() {
    let desk = desk(&["acme"]).await;
    let cookie = desk.sign_in("ann").await;
    let path = format!("/companies/{}", id("acme"));
    let page = desk.get(&path, &cookie).await;
    let seen = value(&page.body, "seen").to_owned();
    let before = company(&desk, "acme").await;
    let (owner, stranger) = (pusher().to_string(), uuid(79).to_string());
    let long = "x".repeat(10_000);
    for (name, logo, to, seen, status, fault) in [
        ("", "/l.svg", &*owner, &*seen, 422, "name"),
        (&*long, "/l.svg", &owner, &seen, 422, "name"),
        (
            "Acme AB",
            "javascript:alert(1)",
            &owner,
            &seen,
            422,
            "logo_path",
        ),
        ("Acme AB", "/l.svg", "", &seen, 422, "owner"),
        ("Acme AB", "/l.svg", "bolt", &seen, 422, "owner"),
        ("Acme AB", "/l.svg", &stranger, &seen, 422, "owner"),
        ("Acme AB", "/l.svg", &owner, "", 409, ""),
        ("Acme AB", "/l.svg", &owner, "7", 409, ""),
    ] {
        let form = [
            ("token", page.token()),
            ("seen", seen),
            ("name", name),
            ("logo_path", logo),
            ("owner", to),
        ];
        let refused = desk.post(&path, &cookie, &form).await;
        let body = &refused.body;
        assert_eq!(refused.status.as_u16(), status, "{form:?} {body}");
        let told = match fault {
            "" => "Nothing was changed. The company has changed meanwhile".to_owned(),
            field => format!("<p class=\"fault bad\" id=\"fault-{field}\">"),
        };
        assert!(body.contains(&told), "{form:?} {body}");
        assert_eq!(value(body, "name"), name, "what was typed");
        assert_eq!(value(body, "seen"), value(&page.body, "seen"));
        assert_eq!(company(&desk, "acme").await, before, "{form:?}");
    }
    for gone in [
        "/companies/x".to_owned(),
        format!("/companies/{}", id("bolt")),
    ] {
        assert_eq!(desk.get(&gone, &cookie).await.status, 404);
    }
    assert_eq!(desk.get("/companies", "").await.status, 303, "signed out");
}
