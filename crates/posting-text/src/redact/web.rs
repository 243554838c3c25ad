use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use super::{
    cues::{self, Cues},
    vocabulary::{List, lines, listed},
    words::Word,
};
use crate::{Budget, Range, Result, pattern::patterns};

patterns! {
    URL = r#"(?i)(?-u:\b)(?:(?:https?|hxxps?|ftp)\s?:\s?//|www\d?\.)[^\s<>"「」『』【】《》。、，；：！？（）]+"#;
}

pub(crate) fn urls(text: &str, budget: &Budget) -> Result<Vec<Range>> {
    budget.spend(text.len())?;
    let mut threes = text.as_bytes().windows(3);
    if !text.contains("//") && !threes.any(|bytes| bytes.eq_ignore_ascii_case(b"www")) {
        return Ok(Vec::new());
    }
    // Each address is read again, for the punctuation around it.
    budget.spend(text.len().saturating_mul(4))?;
    Ok(URL
        .find_iter(text)
        .map(|found| found.start()..found.start() + trimmed(found.as_str()).len())
        .collect())
}

/// Without the punctuation of the sentence, and without closing brackets that nothing in it opens.
fn trimmed(url: &str) -> &str {
    let surplus = |open, close| {
        let closed = url.matches::<char>(close).count();
        closed.saturating_sub(url.matches::<char>(open).count())
    };
    let (mut round, mut square) = (surplus('(', ')'), surplus('[', ']'));
    url.trim_end_matches(|last| {
        let surplus = match last {
            ')' => &mut round,
            ']' => &mut square,
            _ => return ".,;:!?'’”“»*…".contains(last),
        };
        let is_surplus = *surplus > 0;
        *surplus = surplus.saturating_sub(1);
        is_surplus
    })
}

/// Finds domains without a scheme: `jobs.example.org/apply`, but not a missing space (`the end.Next
/// we`) or technology (`Node.js`). The website's `label` always counts.
pub(crate) fn domains(text: &str, label: Option<&str>, budget: &Budget) -> Result<Vec<Range>> {
    budget.spend(text.len())?;
    let inside = |c: char| c.is_alphanumeric() || matches!(c, '-' | '.');
    let mut out: Vec<Range> = Vec::new();
    let mut looked = 0;
    for (dot, _) in text.match_indices('.') {
        let before = text[..dot]
            .chars()
            .next_back()
            .is_some_and(char::is_alphanumeric);
        let after = text[dot + 1..].starts_with(char::is_alphanumeric);
        if dot < looked || !before || !after {
            continue;
        }
        let start = dot - longest_end(&text[..dot], inside);
        let from = start;
        let host_end = dot + 1 + longest_start(&text[dot + 1..], inside);
        looked = host_end;
        let start = start + longest_start(&text[start..dot], |c| matches!(c, '.' | '-'));
        let mut end = start + text[start..host_end].trim_end_matches(['.', '-']).len();
        let port = text[end..].strip_prefix(':');
        let port = port.map_or(0, |port| longest_start(port, |c| c.is_ascii_digit()));
        if port > 1 {
            end += 1 + port;
        }
        if text[end..].starts_with('/') {
            // Such a sign ends an address without a space.
            let ends = |c: char| {
                c.is_whitespace() || "<>\"、。〈〉《》「」『』【】，；：！？（）".contains(c)
            };
            end += longest_start(&text[end..], |c| !ends(c));
            end = start + trimmed(&text[start..end]).len();
            looked = looked.max(end);
        }
        budget.spend(looked.max(end) - from)?;
        let touches =
            text[..start].ends_with(['@', '_', '/']) || text[end..].starts_with(['_', '@']);
        if !touches && is_domain(&text[start..end], &text[end..], label) {
            out.push(start..end);
        }
    }
    Ok(out)
}

/// The company's own domain: `acme dot example`.
pub(crate) fn spelled_out(words: &[Word<'_>], label: Option<&str>) -> Vec<Range> {
    let Some(label) = label else {
        return Vec::new();
    };
    let triples = words.windows(3).filter(|triple| {
        let is_dot = triple[1].is(Cues::DOT) || triple[1].lower == "dot";
        is_dot && triple[0].lower == label && is_suffix(&triple[2].lower)
    });
    triples
        .map(|triple| triple[0].start..triple[2].end())
        .collect()
}

/// In bytes, up to the longest host name.
pub(super) fn longest_end(text: &str, matches: impl Fn(char) -> bool) -> usize {
    text.chars()
        .rev()
        .take(253)
        .take_while(|c| matches(*c))
        .map(char::len_utf8)
        .sum()
}

fn longest_start(text: &str, matches: impl Fn(char) -> bool) -> usize {
    text.chars()
        .take(2048)
        .take_while(|c| matches(*c))
        .map(char::len_utf8)
        .sum()
}

fn is_domain(found: &str, after: &str, own: Option<&str>) -> bool {
    /// Rather endings of files, technology or abbreviations (`Org.nr`).
    static FILES: List = List::new("md py sh zip mov rs so ps nr");
    /// After a missing space, a sentence may continue with such a word.
    static WORDS: List = List::new(include_str!("tables/domain_words.txt"));
    /// Tools and job titles that look like a domain.
    static NAMES: List = List::new(include_str!("tables/domain_names.txt"));
    static TITLES: List = List::new("dr prof dipl mag bzw inkl ca nr vs st mr mrs evtl ev");
    let host = found.split(['/', ':']).next().unwrap_or(found);
    let path = host.len() < found.len();
    let lower = host.to_lowercase();
    let labels: Vec<&str> = host.split('.').collect();
    let (Some(ending), Some(name)) = (labels.last(), labels.get(labels.len().wrapping_sub(2)))
    else {
        return false;
    };
    let known = is_suffix(&lower);
    let ours = own.is_some_and(|own| lower.split('.').any(|label| label == own));
    if !known || (!ours && NAMES.has(&lower)) {
        return false;
    }
    if ours || path {
        return true;
    }
    let two = labels.len() == 2;
    let ending_lower = ending.to_lowercase();
    let sentence = ending.starts_with(char::is_uppercase) && ending.contains(char::is_lowercase);
    let short = two && name.chars().count() < 2;
    let file = two && FILES.has(&ending_lower);
    let title = two && TITLES.has(&name.to_lowercase());
    let goes_on = after
        .strip_prefix(' ')
        .is_some_and(|rest| rest.starts_with(char::is_lowercase));
    let typo = two
        && goes_on
        && WORDS.has(&ending_lower)
        && name.chars().all(char::is_lowercase)
        && cues::are_of(&name.to_lowercase(), Cues::GENERIC);
    !(sentence || short || file || title || typo)
}

/// Also the one for examples (RFC 2606), which tests and documents use.
pub(crate) fn is_suffix(lower: &str) -> bool {
    psl::suffix(lower.as_bytes()).is_some_and(|suffix| suffix.is_known())
        || lower.rsplit('.').next() == Some("example")
}

/// Services that host companies' pages, with the part of an address that names the company.
static HOSTS: LazyLock<FxHashMap<&'static str, &'static str>> = LazyLock::new(|| {
    let table = lines(include_str!("tables/hosts.txt"));
    let services = |(part, services)| listed(services).map(move |service| (service, part));
    table.flat_map(services).collect()
});

/// The company's part of a hosting service's address, possibly empty; `None` for any other host, or
/// the service's own site.
fn hosted(host: &str, path: &str) -> Option<String> {
    let mut service = host;
    let kind = loop {
        if let Some(kind) = HOSTS.get(service) {
            break *kind;
        }
        (_, service) = service.split_once('.')?;
    };
    let front = host
        .strip_suffix(service)
        .unwrap_or_default()
        .trim_end_matches('.');
    let own = |part: &&str| {
        let is_own = part.chars().nth(1).is_some() && part.contains(char::is_alphabetic);
        is_own && !PLAIN_PARTS.has(part)
    };
    let name = match kind {
        "SUBDOMAIN" => front.rsplit('.').find(own),
        _ => path.split(['/', '?', '#', '&', '=']).find(own),
    };
    // The service itself has no company before it: `personio.de`.
    if name.is_none() && kind == "SUBDOMAIN" {
        return None;
    }
    let name = name
        .unwrap_or_default()
        .trim_start_matches('@')
        .to_lowercase();
    Some(
        percent_encoding::percent_decode_str(&name)
            .decode_utf8_lossy()
            .into(),
    )
}

static PLAIN_PARTS: List = List::new(include_str!("tables/web_plain_parts.txt"));

/// `uber` of `https://www.uber.com/jobs`; at a hosting service `acme` of
/// `https://jobs.lever.co/acme`.
pub(crate) fn label(website: &str) -> Option<String> {
    let rest = website.split_once("://").map_or(website, |(_, rest)| rest);
    let path = rest.split_once('/').map_or("", |(_, path)| path);
    let authority = rest.split(['/', '?', '#']).next()?;
    let host = authority
        .rsplit('@')
        .next()?
        .split(':')
        .next()?
        .to_lowercase();
    let host = if host.contains("xn--") {
        url::quirks::domain_to_unicode(&host)
    } else {
        host
    };
    if let Some(name) = hosted(host.trim_end_matches('.'), path) {
        return Some(name).filter(|name| !name.is_empty());
    }
    let domain = psl::domain_str(host.trim_end_matches('.'))?;
    domain
        .split('.')
        .next()
        .filter(|label| !label.is_empty())
        .map(str::to_owned)
}
