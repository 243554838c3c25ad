//! Lines that disagree about a company. The first line that names it decides, whichever way the
//! file is sent and split.

use std::collections::HashMap;

use domain::store::Reads as _;
use fields::{Patch, Website};
use kernel::CompanyId;
use rand::{RngExt as _, SeedableRng as _, rngs::StdRng, seq::IndexedRandom as _};

use super::*;

#[derive(Clone)]
struct Said {
    website: Option<&'static str>,
    name: Option<&'static str>,
    logo: Patch<&'static str>,
}

const HOSTS: [&str; 3] = ["acme", "bolt", "core"];

fn website(host: &str) -> String {
    format!("https://{host}.example")
}

impl Said {
    fn any(rng: &mut StdRng) -> Self {
        let website = rng.random_bool(0.7).then(|| *HOSTS.choose(rng).unwrap());
        let logos = [
            Patch::Set("/1.svg"),
            Patch::Set("/2.svg"),
            Patch::Clear,
            Patch::Keep,
        ];
        Self {
            website,
            name: rng
                .random_bool(0.8)
                .then(|| *["A", "B"].choose(rng).unwrap()),
            logo: logos.choose(rng).unwrap().clone(),
        }
    }

    fn line(&self, id: &str) -> String {
        let website = self
            .website
            .map(|host| format!(r#""website_url":"{}""#, website(host)));
        let name = self.name.map(|name| format!(r#""name":"{name}""#));
        let logo = match &self.logo {
            Patch::Set(path) => Some(format!(r#""logo_path":"{path}""#)),
            Patch::Clear => Some(r#""logo_path":null"#.to_owned()),
            Patch::Keep => None,
        };
        let parts: Vec<_> = [website, name, logo].into_iter().flatten().collect();
        let company = parts.join(",");
        format!(r#"{{"id":"{id}","payload":{{"company":{{{company}}}}}}}"#)
    }
}

type Shown = (String, Option<String>);

async fn shown(kit: &Kit) -> HashMap<&'static str, Shown> {
    let id = |host: &str| CompanyId::of(&Website::parse(&website(host)).unwrap().key());
    let ids = HOSTS.map(id);
    let known = kit.store.memory.load(&[], &ids).await.unwrap();
    let company = |host| {
        let company = &known.companies[&id(host)];
        (host, (company.name.clone(), company.logo_path.clone()))
    };
    HOSTS.into_iter().map(company).collect()
}

async fn twice(seed: u64) {
    let mut rng = StdRng::seed_from_u64(seed);
    let mut settings = LaneSettings::default();
    (settings.lines.lanes, settings.lines.batch) =
        (rng.random_range(1..=4), rng.random_range(1..=16));
    let kit = Kit::with_settings(settings);
    let ids: Vec<_> = (0..rng.random_range(1..150))
        .map(|n| n.to_string())
        .collect();
    let first = HOSTS.iter().map(|host| (*host, *host));
    let stored = ids
        .iter()
        .map(|id| (id.as_str(), *HOSTS.choose(&mut rng).unwrap()));
    let stored: Vec<_> = first.chain(stored).collect();
    let body: Vec<_> = stored.iter().map(|(id, host)| of(id, host)).collect();
    assert_eq!(kit.import(order(), &body).await.result, Ok(()));

    let said: Vec<_> = ids.iter().map(|id| (id, Said::any(&mut rng))).collect();
    let mut expect = shown(&kit).await;
    let mut named = Vec::new();
    for (id, said) in &said {
        let says_nothing =
            said.website.is_none() && said.name.is_none() && said.logo == Patch::Keep;
        let of_posting = || stored.iter().find(|(stored, _)| stored == id).unwrap().1;
        let host = said.website.unwrap_or_else(of_posting);
        if says_nothing || named.contains(&host) {
            continue;
        }
        named.push(host);
        let (name, logo) = expect.get_mut(host).unwrap();
        said.name.iter().for_each(|sent| *name = (*sent).to_owned());
        match &said.logo {
            Patch::Set(path) => *logo = Some((*path).to_owned()),
            Patch::Clear => *logo = None,
            Patch::Keep => {}
        }
    }
    let body: Vec<_> = said.iter().map(|(id, said)| said.line(id)).collect();
    let outcome = kit.import(order(), &body).await;
    assert_eq!(
        (&outcome.result, outcome.summary.counts.refused),
        (&Ok(()), 0)
    );
    assert_eq!(shown(&kit).await, expect);

    for _ in 0..2 {
        let commits = kit.store.commits();
        let counts = kit.import(order(), &body).await.summary.counts;
        assert_eq!(
            (counts.lines, counts.unchanged),
            (counts.lines, counts.lines)
        );
        assert_eq!(kit.store.commits(), commits, "something was written");
        assert_eq!(shown(&kit).await, expect);
    }
}

fn of(id: &str, host: &str) -> String {
    line(id).replace("acme", host)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_file_that_is_sent_twice_changes_nothing_the_second_time() {
    for seed in 0..60 {
        println!("seed {seed}");
        twice(seed).await;
    }
}

#[tokio::test]
async fn a_line_that_is_refused_decides_nothing() {
    let kit = Kit::new();
    let wrong = line("a").replace(r#""acme","web"#, r#""Wrong","web"#);
    let wrong = wrong.replace("Engineer", "");
    for _ in 0..2 {
        let outcome = kit.import(order(), &[wrong.clone(), line("b")]).await;
        assert_eq!(outcome.summary.counts.refused, 1);
        assert_eq!(shown_of(&kit).await, "acme");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lines_that_agree_about_a_new_name_get_no_notice() {
    let ids: Vec<_> = (0..600).map(|n| n.to_string()).collect();
    let body = |name: &str| -> Vec<_> {
        let company = |id| line(id).replace(r#""name":"acme""#, &format!(r#""name":"{name}""#));
        ids.iter().map(|id| company(id)).collect()
    };
    assert_ne!(body("New"), body("acme"));
    let kit = Kit::new();
    for name in ["acme", "acme", "New", "New", "acme"] {
        let outcome = kit.import(order(), &body(name)).await;
        let notices = outcome.summary.counts.notices.iter();
        assert_eq!(notices.collect::<Vec<_>>(), [], "{name}");
    }
}

async fn shown_of(kit: &Kit) -> String {
    let posting = kit.posting("b").await;
    let known = kit
        .store
        .memory
        .load(&[], &[posting.company_id])
        .await
        .unwrap();
    known.companies[&posting.company_id].name.clone()
}
