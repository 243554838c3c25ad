//! The least that a redacted text must not contain.

use std::cmp::Reverse;

use url::Url;

use super::{
    Hidden, Kind,
    cues::{self, Cues},
    email, phone,
    script::is_unspaced,
    web::longest_end,
    words::begins_sentence,
};
use crate::{Budget, Exceeded, Posting, Range, Result, document::is_unseen};

/// The terms that certainly identify a posting's company or lead to it: no redacted text contains
/// one. The rest is left to a redactor.
///
/// - **An e-mail address**: letters, digits and `._%+'’-` with at least one letter or digit; an
///   `@`; and two or more labels, of which one after the first starts with two letters.
/// - **A telephone number**: a `+` directly followed by a digit, 8 to 15 digits, at most two
///   separators between two digits, and nothing around it that makes it a part of something else,
///   an amount or a percentage. Round numbers do not count.
/// - **The company's host**: that of its website without `www.`, in ASCII or Unicode, with a full
///   stop in it. No letter, digit or hyphen precedes it, and no letter or digit follows, also not
///   after a full stop. A subdomain contains it.
/// - **A name of the company**, as it was pushed, with any white space. It has three letters or
///   more, does not start in lower case, and is not the posting's city or country. If its first
///   or last character is a letter or digit, the next one outside is white space or punctuation,
///   or there is none. A name in a script without spaces counts anywhere. One ordinary word
///   (`Next`) does not count where a sentence begins.
#[derive(Clone, Debug)]
pub struct IdentifyingTerms {
    names: Vec<Name>,
    hosts: Vec<String>,
}

#[derive(Clone, Debug)]
struct Name {
    first: String,
    rest: Vec<String>,
    needs_borders: bool,
    is_ordinary: bool,
}

impl IdentifyingTerms {
    /// The terms of a posting.
    pub fn of(posting: &Posting<'_>) -> Self {
        let names = std::iter::once(&posting.company_name).chain(posting.other_names);
        Self {
            names: names.filter_map(|name| Name::of(name, posting)).collect(),
            hosts: hosts(posting.company_website),
        }
    }

    /// Finds the terms in visible text of blocks separated by a line with a control character. In
    /// order and without overlaps. Removing them may create others.
    pub fn find(&self, text: &str, budget: &Budget) -> Result<Vec<Hidden>, Exceeded> {
        let of = |kind| move |range| Hidden { range, kind };
        budget.spend(text.len().saturating_mul(2 + self.hosts.len()))?;
        let mut found: Vec<Hidden> = email::certain(text)
            .map(of(Kind::Email))
            .chain(phone::certain(text).map(of(Kind::Phone)))
            .collect();
        for host in &self.hosts {
            found.extend(hosts_in(text, host).map(of(Kind::Link)));
        }
        for name in &self.names {
            let names = name.find(text, budget)?;
            found.extend(names.into_iter().map(of(Kind::Company)));
        }
        found.sort_by_key(|term| (term.range.start, Reverse(term.range.end)));
        found.dedup_by(|next, last| next.range.start < last.range.end);
        Ok(found)
    }
}

impl Name {
    fn of(name: &str, posting: &Posting<'_>) -> Option<Self> {
        let words = name_words(name, posting);
        let is_spaced = |word: &String| !word.contains(is_unspaced);
        let (first, rest) = words.split_first()?;
        Some(Self {
            needs_borders: words.iter().all(is_spaced),
            is_ordinary: rest.is_empty() && cues::are_of(&first.to_lowercase(), Cues::GENERIC),
            first: first.clone(),
            rest: rest.to_vec(),
        })
    }

    fn find(&self, text: &str, budget: &Budget) -> Result<Vec<Range>> {
        let mut out = Vec::new();
        budget.spend(text.len())?;
        for (start, first) in text.match_indices(self.first.as_str()) {
            if let Some(end) = name_end(text, start + first.len(), &self.rest, budget)?
                && (!self.needs_borders || is_whole_word(text, &(start..end)))
                && !(self.is_ordinary && begins_sentence(text, start))
            {
                out.push(start..end);
            }
        }
        Ok(out)
    }
}

/// A name may repeat its first word, so the text may be read once for each word.
fn name_end(text: &str, mut end: usize, rest: &[String], budget: &Budget) -> Result<Option<usize>> {
    for word in rest {
        let after = text[end..].trim_start();
        let gap = text.len() - end - after.len();
        budget.spend(gap + word.len())?;
        let Some(left) = after.strip_prefix(word.as_str()).filter(|_| gap > 0) else {
            return Ok(None);
        };
        end = text.len() - left.len();
    }
    Ok(Some(end))
}

fn hosts_in(text: &str, host: &str) -> impl Iterator<Item = Range> {
    let dot = host.find('.').unwrap_or(host.len());
    text.match_indices('.').filter_map(move |(at, _)| {
        let start = at.checked_sub(dot)?;
        let end = start + host.len();
        let found = text.as_bytes().get(start..end)?;
        let before = text.get(..start)?;
        let is_host = found.eq_ignore_ascii_case(host.as_bytes())
            && !before.ends_with(|c: char| c.is_alphanumeric() || c == '-')
            && !goes_on(&text[end..]);
        let labels = longest_end(before, |c| c.is_alphanumeric() || matches!(c, '.' | '-'));
        let labels = before[start - labels..]
            .trim_start_matches(['.', '-'])
            .len();
        let is_below = before.ends_with('.');
        is_host.then(|| start - if is_below { labels } else { 0 }..end)
    })
}

fn goes_on(after: &str) -> bool {
    let label = after.strip_prefix('.').unwrap_or(after);
    label.starts_with(char::is_alphanumeric)
}

fn is_whole_word(text: &str, range: &Range) -> bool {
    let inside = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let apart = |c: Option<char>| c.is_none_or(is_boundary);
    let name = &text[range.clone()];
    let (before, after) = (&text[..range.start], &text[range.end..]);
    (apart(before.chars().next_back()) || !inside(name.chars().next()))
        && (apart(after.chars().next()) || !inside(name.chars().next_back()))
}

/// Combining marks do not end a word.
fn is_boundary(c: char) -> bool {
    c.is_whitespace()
        || c.is_ascii_punctuation()
        || matches!(c, '¡' | '¿' | '§' | '«' | '»' | '·' | '°' | '©' | '®' | '™')
        || matches!(c, '\u{2010}'..='\u{205e}' | '\u{3000}'..='\u{303f}')
}

fn name_words(name: &str, posting: &Posting<'_>) -> Vec<String> {
    let words: Vec<String> = words(name);
    let mut letters = words
        .iter()
        .flat_map(|word| word.chars())
        .filter(|c| c.is_alphabetic());
    let is_name = letters.next().is_some_and(|first| !first.is_lowercase());
    let is_long = letters.nth(1).is_some();
    let country = posting
        .country
        .and_then(|code| celes::Country::from_alpha2(code).ok());
    let places = [
        posting.city,
        country.as_ref().map(|country| country.long_name),
    ];
    let folded = |words: &[String]| words.join(" ").to_lowercase();
    let is_place = places
        .into_iter()
        .flatten()
        .any(|place| folded(&self::words(place)) == folded(&words));
    if is_name && is_long && !is_place {
        words
    } else {
        Vec::new()
    }
}

fn words(text: &str) -> Vec<String> {
    let seen: String = text.chars().filter(|c| !is_unseen(*c)).collect();
    seen.split_whitespace().map(str::to_owned).collect()
}

fn hosts(website: &str) -> Vec<String> {
    let Ok(url) = Url::parse(website) else {
        return Vec::new();
    };
    let Some(host) = url.domain() else {
        return Vec::new();
    };
    let host = host.trim_end_matches('.');
    let host = host
        .strip_prefix("www.")
        .filter(|rest| rest.contains('.'))
        .unwrap_or(host);
    if !host.contains('.') {
        return Vec::new();
    }
    let mut hosts = vec![host.to_owned()];
    if host.contains("xn--") {
        let letters = url::quirks::domain_to_unicode(host);
        hosts.extend(Some(letters).filter(|letters| letters.contains('.') && letters != host));
    }
    hosts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::posting;

    #[test]
    fn hosts_in_a_row_are_separate() {
        let text = "a.acmera.no..b-c.acmera.no, --.acmera.no/..acmera.no";
        let expect = [
            "a.acmera.no",
            "a.acmera.no..b-c.acmera.no",
            "acmera.no",
            "acmera.no",
        ];
        let found: Vec<_> = hosts_in(text, "acmera.no")
            .map(|range| &text[range])
            .collect();
        assert_eq!(found, expect);
    }

    #[test]
    fn a_name_that_repeats_itself_is_paid_for() {
        let company_name = &format!("{}B", "A ".repeat(100));
        let posting = Posting {
            company_name,
            ..posting("")
        };
        let text = "A ".repeat(1_000);
        let budget = Budget::unlimited();
        assert_eq!(
            IdentifyingTerms::of(&posting).find(&text, &budget),
            Ok(Vec::new())
        );
        assert!(budget.spent() > 100 * 900, "{}", budget.spent());
    }
}
