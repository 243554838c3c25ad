//! Companies that may be the same, by their names and websites.

use std::{collections::HashSet, sync::LazyLock};

use fields::WebsiteKey;
use kernel::CompanyId;
use time::OffsetDateTime;

use super::{Company, CompanyView};

// `posting-text` redacts texts with the same tables.

/// Services that rent space to companies: applicant tracking systems, social networks, site
/// builders.
static HOSTS: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    words(include_str!(
        "../../../posting-text/src/redact/tables/hosts.txt"
    ))
});

static LEGAL_FORMS: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    words(include_str!(
        "../../../posting-text/src/redact/tables/legal.txt"
    ))
});

fn words(table: &'static str) -> HashSet<&'static str> {
    let lines = table.lines().filter(|line| !line.starts_with(['#', '[']));
    lines.flat_map(str::split_whitespace).collect()
}

/// The most words of a legal form: "sp. z o.o." has four.
const FORM: usize = 4;

/// The letters and digits of a name in lower case, without a trailing legal form.
pub fn name_key(name: &str) -> String {
    let lower = name.to_lowercase();
    let words = lower.split(|c: char| !c.is_alphanumeric());
    let words: Vec<_> = words.filter(|word| !word.is_empty()).collect();
    let mut core = words.as_slice();
    let is_form = |words: &[&str]| LEGAL_FORMS.contains(words.concat().as_str());
    while let Some(length) = (1..=FORM.min(core.len().saturating_sub(1)))
        .rev()
        .find(|length| is_form(&core[core.len() - length..]))
    {
        core = &core[..core.len() - length];
    }
    if core.is_empty() {
        lower
    } else {
        core.concat()
    }
}

/// The registered domain of a website, or the company's address at a hosting service.
pub fn site(key: &WebsiteKey) -> String {
    if !is_hosted(key.host()) {
        return key.domain().to_owned();
    }
    let address = key.as_str().split(['?', '#']).next();
    address.unwrap_or_default().to_owned()
}

fn is_hosted(host: &str) -> bool {
    let mut rest = host;
    loop {
        if HOSTS.contains(rest) {
            return true;
        }
        match rest.split_once('.') {
            Some((_, parent)) => rest = parent,
            None => return false,
        }
    }
}

fn holds(key: &WebsiteKey, name: &str) -> bool {
    let labels = key.host().strip_suffix(key.domain()).unwrap_or_default();
    let mut parts = key.segments().chain(labels.split('.'));
    parts.any(|part| !part.is_empty() && name_key(part) == name)
}

/// Whether two companies may be the same: they have the same name, and they share a site or one
/// website has that name in its path or subdomain.
pub fn are_similar(one: &Company, other: &Company) -> bool {
    let name = name_key(&one.name);
    let (key, other_key) = (one.website.key(), other.website.key());
    name == name_key(&other.name)
        && (site(&key) == site(&other_key) || holds(&key, &name) || holds(&other_key, &name))
}

/// Whether a company is on the site of an older one with another owner.
pub fn is_lookalike(company: &CompanyView, older: &CompanyView) -> bool {
    let (one, other) = (&company.company, &older.company);
    let is_older = (older.created_at, other.id) < (company.created_at, one.id);
    is_older
        && one.owner.is_some()
        && other.owner.is_some()
        && one.owner != other.owner
        && site(&one.website.key()) == site(&other.website.key())
}

/// A relation that was found between two companies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompanyPair {
    /// The companies, the lower id first.
    pub companies: [CompanyId; 2],
    /// Whether they may be the same company.
    pub is_similar: bool,
    /// The company that a client with prefixes created on the other company's site.
    pub lookalike: Option<CompanyId>,
    /// When the relation was found.
    pub since: OffsetDateTime,
}

/// The companies of a pair, the lower id first.
pub fn pair(one: CompanyId, other: CompanyId) -> [CompanyId; 2] {
    if one < other {
        [one, other]
    } else {
        [other, one]
    }
}

/// A kind of pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PairKind {
    /// Companies that may be the same.
    Similar,
    /// Companies on the sites of other companies.
    Lookalike,
}

impl PairKind {
    /// Whether a pair is of this kind.
    pub const fn has(self, pair: &CompanyPair) -> bool {
        match self {
            Self::Similar => pair.is_similar,
            Self::Lookalike => pair.lookalike.is_some(),
        }
    }
}

/// A pair with its companies, as operators see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompanyPairView {
    /// The pair.
    pub pair: CompanyPair,
    /// Its companies, in the same order.
    pub companies: [CompanyView; 2],
}

impl CompanyPairView {
    /// The company on the other's site, and the other company; `None` unless the owners differ.
    pub fn lookalike(&self) -> Option<(&CompanyView, &CompanyView)> {
        let [one, other] = &self.companies;
        let (company, older) = match self.pair.lookalike? {
            id if id == one.company.id => (one, other),
            _ => (other, one),
        };
        is_lookalike(company, older).then_some((company, older))
    }
}

#[cfg(test)]
mod tests {
    use fields::Website;
    use kernel::{
        ClientId,
        testing::{noon, uuid},
    };
    use time::Duration;

    use super::*;
    use crate::testing;

    fn company((name, website): (&str, &str)) -> Company {
        let website = Website::parse(&format!("https://{website}")).unwrap();
        Company {
            id: CompanyId::of(&website.key()),
            name: name.to_owned(),
            website,
            ..testing::company("acme")
        }
    }

    #[test]
    fn a_name_has_no_legal_form_and_no_case() {
        for (name, key) in [
            ("ACME Inc.", "acme"),
            ("acme", "acme"),
            ("Acme, S.A.S.", "acme"),
            ("Acme Sp. z o.o.", "acme"),
            ("Müller & Söhne GmbH & Co. KG", "müllersöhne"),
            ("Inc.", "inc"),
            ("Data Dog", "datadog"),
            ("東京株式会社", "東京株式会社"),
            ("!!", "!!"),
        ] {
            assert_eq!(name_key(name), key, "{name}");
        }
    }

    #[test]
    fn pairs_have_one_name_and_a_site_in_common() {
        for row in "\
            Acme acme.example + ACME Inc. acme.example/careers
            Acme acme.example + Acme jobs.acme.example/x
            Acme acme.example + ACME AB boards.greenhouse.io/acme
            Acme acme.example + Acme acme-inc.recruitee.com
            Acme acme.example + Acme linkedin.com/company/acme
            Acme acme.example + Acme jobs.example/#/acme
            Acme jobs.example/acme - Beta jobs.example/beta
            Pipe pipe.example - Pipe pipefittings.example
            Pipe jobs.lever.co/17 - Pipe jobs.lever.co/18
            Acme acme.example - Acme Bank acme.example/bank"
            .lines()
        {
            let expect = row.contains(" + ");
            let (one, other) = row
                .trim()
                .split_once(if expect { " + " } else { " - " })
                .unwrap();
            let [one, other] = [one, other].map(|it| company(it.rsplit_once(' ').unwrap()));
            assert_eq!(are_similar(&one, &other), expect, "{row}");
            assert_eq!(are_similar(&other, &one), expect, "{row}");
        }
    }

    #[test]
    fn a_lookalike_is_younger_on_the_site_of_another_owner() {
        let view = |at: (&str, &str), owner: Option<u128>, age: i64| CompanyView {
            company: Company {
                owner: owner.map(|id| ClientId::new(uuid(id))),
                ..company(at)
            },
            created_at: noon() - Duration::days(age),
            ..testing::company_view(&testing::company("acme"))
        };
        let acme = view(("Acme", "acme.example"), Some(1), 2);
        for (at, owner, age, expect) in [
            ("acme.example/jobs", Some(2), 1, true),
            ("www.jobs.acme.example", Some(2), 1, true),
            ("acme.example/jobs", Some(2), 3, false),
            ("acme.example/jobs", Some(1), 1, false),
            ("acme.example/jobs", None, 1, false),
            ("acme-jobs.example", Some(2), 1, false),
        ] {
            let other = view(("Acme Gates", at), owner, age);
            assert_eq!(is_lookalike(&other, &acme), expect, "{at} {owner:?} {age}");
            for [one, two] in [[&acme, &other], [&other, &acme]] {
                let view = CompanyPairView {
                    pair: CompanyPair {
                        companies: pair(acme.company.id, other.company.id),
                        is_similar: false,
                        lookalike: Some(other.company.id),
                        since: noon(),
                    },
                    companies: [one.clone(), two.clone()],
                };
                assert_eq!(view.lookalike(), expect.then_some((&other, &acme)), "{at}");
            }
        }
        let hosted = view(("Acme", "jobs.lever.co/acme"), Some(1), 2);
        let other = view(("Beta", "jobs.lever.co/beta"), Some(2), 1);
        assert!(!is_lookalike(&other, &hosted));
        let [low, high] = [1, 2].map(|id| CompanyId::new(uuid(id)));
        assert_eq!(pair(low, high), [low, high]);
        assert_eq!(pair(high, low), [low, high]);
    }
}
