//! Companies that a text puts beside the employer: owner, group, former name, client of an agency,
//! brands, products and houses with names of their own.

mod beside;
mod house;
mod lists;
mod run;

use self::{
    beside::{after_phrase, beside_our, is_between, is_owned, subject, thing},
    house::House,
    lists::{GROUPS, OWN},
    run::{is_group_word, is_name, run_end, with_form},
};
use super::{
    AND, Context, Cues, Names, Result, Script, Word, cues,
    form::{core, is_cased},
    inflect, is_ordinary, joined,
    parts::MAX_WORDS,
    phrases::{OUR, Phrase, phrases_of},
    word_before, words,
};
use crate::{
    pattern::patterns,
    redact::{
        vocabulary::{ACRONYMS, List},
        words::{begins_sentence, is_gap},
    },
};

const MAX_RELATED: usize = 8;
/// The most other words between the parts of a phrase.
const MAX_BETWEEN: usize = 3;
/// Bytes of a firm's line on each side.
const MAX_LINE: usize = 300;

/// Beginnings of words that say who owns a company, in a sentence with a legal form.
static OWNERS: List = List::new(include_str!("../tables/related_owners.txt"));
static OWN_PARTS: List = List::new(include_str!("../tables/related_own_parts.txt"));
/// Beginnings of words in the name of an agency.
static AGENCIES: List = List::new(include_str!("../tables/agencies.txt"));

patterns! {
    /// `Colibrì S.p.A., Agenzia per il Lavoro`
    CALLED_AGENCY = r"(?i), (?:agenzia per il lavoro|empresa de (?:trabajo|trabalho) tempor|agence d['’](?:emploi|intérim)|agencja (?:pracy|zatrudnienia)|agentura práce|personální agentura|uitzendbureau|personaldienstleister|bemanningsföretag|vikarbureau|(?:an? )?(?:recruitment|employment|staffing) (?:agency|firm))";
    /// A group in Japanese and Chinese.
    EASTERN = crate::pattern::one_of(include_str!("../tables/related_eastern.txt"));
}

impl Names {
    pub(super) fn add_related(&mut self, context: &Context<'_>) -> Result<()> {
        let (text, all) = (context.text, context.all);
        context
            .budget
            .spend(all.len() + text.len() + context.posting.title.len())?;
        let title = words(context.posting.title);
        let is_of_agency =
            |word: &Word<'_>| AGENCIES.words().any(|part| word.lower.starts_with(part));
        let own = words(context.posting.company_name);
        let is_agency = own.iter().any(is_of_agency) || CALLED_AGENCY.is_match(text);
        for (at, word) in all.iter().enumerate() {
            let near = at.saturating_sub(MAX_BETWEEN + 1)..all.len().min(at + 2);
            let is_near = |other: &&str| all[near.clone()].iter().any(|word| word.lower == *other);
            let phrases = phrases_of(&word.lower).into_iter().flatten();
            for (others, phrase) in phrases.filter(|(it, _)| it.last().is_none_or(is_near)) {
                context.budget.spend(8 + MAX_WORDS + title.len())?;
                if is_agency || *phrase != Phrase::Agency {
                    self.add_beside(context, at, others, *phrase, &title)?;
                }
            }
        }
        for (at, form) in all.iter().enumerate() {
            context.budget.spend(1)?;
            if let Some(run) = with_form(context, at, form)
                && self.name_at(context.on(), at + 1 - run.len())?.is_none()
                && !core(&own).iter().any(|word| word.lower == form.lower)
                && is_name(&run[..run.len() - 1], false, &[], context)
                && (is_agency || self.is_beside_own(context, at + 1 - run.len())?)
            {
                self.push_related(&text[run[0].start..form.end()]);
            }
        }
        if all.iter().any(|word| word.text.starts_with(is_eastern)) {
            context.budget.spend(text.len().saturating_mul(4))?;
            for group in EASTERN.captures_iter(text) {
                let name = group.iter().skip(1).flatten().next();
                let name = name.map_or("", |name| name.as_str());
                let is_own = context.posting.company_name.contains(name);
                if name.chars().nth(1).is_some() && !is_own && !context.is_place(name) {
                    self.push_related(name);
                }
            }
        }
        for name in self.related.clone() {
            self.add_name(&name, context)?;
        }
        Ok(())
    }

    fn push_related(&mut self, name: &str) {
        if self.related.len() < MAX_RELATED && !self.related.iter().any(|known| known == name) {
            self.related.push(name.to_owned());
        }
    }

    /// Adds the names that a phrase announces.
    fn add_beside(
        &mut self,
        context: &Context<'_>,
        at: usize,
        others: &[&str],
        phrase: Phrase,
        title: &[Word<'_>],
    ) -> Result<()> {
        let (text, word) = (context.text, &context.all[at]);
        let house = House { context, at, title };
        let run = match phrase {
            Phrase::After | Phrase::AfterOwn => after_phrase(context, at, others),
            Phrase::Thing => thing(context, at),
            _ => self.before_phrase(house, others, phrase)?,
        };
        let run = match (run, phrase) {
            (Some(run), Phrase::AfterOwn) => {
                let follows = self.follows_own(context, at - run.len())?;
                follows.then_some(run)
            }
            (None, Phrase::House) => house.name_before(),
            (None, Phrase::Our) => beside_our(context, at),
            (run, _) => run,
        };
        let mut runs: Vec<_> = run.into_iter().collect();
        let first = at.checked_sub(others.len());
        // "owned by Ash and Oak", but not "our shop and Oak"
        let has_names = !others.is_empty() || !runs.is_empty();
        if has_names && first.is_some_and(|first| fits(context, first, others)) {
            let from = behind(context, at, phrase);
            runs.extend(self.further(context, from, phrase, !runs.is_empty())?);
        }
        let (is_house, title) = match phrase {
            Phrase::House => (true, &[][..]),
            _ => (false, title),
        };
        for run in runs {
            let last = &run[run.len() - 1];
            let is_before = run[0].start < word.start;
            let genitive = last.lower.strip_suffix('s');
            let genitive = genitive.filter(|it| is_house && is_before || is_ordinary(it));
            let end = last.end() - usize::from(genitive.is_some());
            // "Grupo Beira Barro": the word for the group was left out.
            let of_group = (text[..run[0].start].trim_end().rsplit([' ', '\n']).next())
                .is_some_and(|word| GROUPS.has(&word.to_lowercase()));
            if is_name(run, of_group, title, context) {
                self.push_related(&text[run[0].start..end]);
                // "Haus Erlenrain", "el Instituto Sala"
                if is_house && word.is_upper() && !word.is_capitals() && !is_before {
                    self.push_related(&text[word.start..end]);
                }
            }
        }
        Ok(())
    }

    fn before_phrase<'c>(
        &self,
        house: House<'c>,
        others: &[&str],
        phrase: Phrase,
    ) -> Result<Option<&'c [Word<'c>]>> {
        let House { context, at, .. } = house;
        let (text, all) = (context.text, context.all);
        let Some(first) = at.checked_sub(others.len()) else {
            return Ok(None);
        };
        // "gehört seit 2019 zur …-Gruppe"
        let is_parted = !fits(context, first, others);
        let parted = (1..=MAX_BETWEEN).filter(|_| is_parted).find_map(|more| {
            let first = first.checked_sub(more)?;
            let gap = &text[all[first].start..all[at].start];
            (fits(context, first, others) && !gap.contains(['.', '\n', ';'])).then_some(first)
        });
        let first = parted.unwrap_or(first);
        let is_house_of_ours = phrase == Phrase::House && !all[at].is_upper();
        let phrase = match phrase {
            Phrase::Agency => phrase,
            _ if parted.is_some() => Phrase::Group,
            _ if is_house_of_ours && is_owned(context, at, Phrase::Our) => Phrase::Our,
            phrase => phrase,
        };
        if is_parted && parted.is_none()
            || phrase == Phrase::Lower && all[at].is_upper()
            || !is_owned(context, at, phrase)
        {
            return Ok(None);
        }
        let mut next = behind(context, at, phrase);
        let mut is_group = phrase == Phrase::Lower;
        // "im Auftrag unseres Kunden, der Traunfels AG", "our client (Traunfels)"
        while next <= at + MAX_BETWEEN + 1 && is_between(context, at, next, phrase) {
            is_group |= GROUPS.has(&all[next].lower);
            next += 1;
        }
        let Some(word) = all.get(next) else {
            return Ok(None);
        };
        let gap = &text[all[next - 1].end()..word.start];
        let is_quoted = gap.trim_end().ends_with(['„', '«', '“', '"']);
        let is_beside = match phrase {
            Phrase::House => gap == " ",
            Phrase::List if gap == " : " => true,
            _ => GAPS.contains(&gap),
        };
        if !is_beside && !is_quoted {
            return Ok(None);
        }
        // "our client, The Saltram Hotel"
        let is_own =
            |word: &Word<'_>| word.text == "The" || word.is_upper() && GROUPS.has(&word.lower);
        next -= usize::from(next > at + 1 && word.is_upper() && is_own(&all[next - 1]));
        let end = run_end(text, all, next);
        let Some(run) = all.get(next..end).filter(|run| !run.is_empty()) else {
            return Ok(None);
        };
        let is_part = |word: &Word<'_>| OWN_PARTS.words().any(|part| word.lower.ends_with(part));
        if run.iter().chain(all.get(end)).any(is_part) {
            return Ok(None);
        }
        // "Fathom & Field is the trading name of Tolliver Research"
        let is_own = phrase == Phrase::House && self.name_at(context.on(), at)?.is_some();
        if is_own || self.name_at(context.on(), next)?.is_some() {
            let subject = subject(context, first);
            return Ok(subject.filter(|_| phrase == Phrase::Strong));
        }
        is_group |= run.iter().chain(all.get(end)).any(is_group_word);
        let is_sure = match phrase {
            Phrase::House => is_quoted || house.is_own(&run[0]),
            Phrase::Group => is_group,
            Phrase::Weak | Phrase::Lower => is_group || self.follows_own(context, first)?,
            _ => true,
        };
        Ok(is_sure.then_some(run))
    }

    /// The names of a list that begins at a word, after its first one: `Elm Inn, Oak Inn and Ash`.
    /// Other phrases than a list take names after "and" only: `owned by two brothers and Ash`.
    fn further<'c>(
        &self,
        context: &'c Context<'_>,
        from: usize,
        phrase: Phrase,
        has_first: bool,
    ) -> Result<Vec<&'c [Word<'c>]>> {
        let (text, all) = (context.text, context.all);
        let is_and = |word: &Word<'_>| AND.contains(&&*word.lower);
        let is_list = phrase == Phrase::List;
        let takes = matches!(
            phrase,
            Phrase::Strong | Phrase::Weak | Phrase::Our | Phrase::Thing
        ) && has_first;
        let mut out = Vec::new();
        let mut next = from;
        while all.get(next).is_some_and(|word| !word.is_upper()) && next <= from + MAX_BETWEEN {
            next += 1;
        }
        let begins = word_before(all, next).is_some_and(is_and) && phrase == Phrase::Strong;
        let skipped = all
            .get(next)
            .map_or("", |it| &text[all[from - 1].end()..it.start]);
        let is_listed = is_list && (has_first || GAPS.contains(&skipped));
        if !(is_listed || takes || begins) || skipped.contains(['.', '\n', '\u{1e}']) {
            return Ok(out);
        }
        for item in 0..MAX_RELATED {
            context.budget.spend(MAX_WORDS)?;
            let end = run_end(text, all, next);
            let run = all.get(next..end).unwrap_or_default();
            let and = run.iter().position(is_and);
            let end = and.map_or(end, |and| next + and);
            if end <= next {
                break;
            }
            if (item > 0 || begins) && self.name_at(context.on(), next)?.is_none() {
                out.push(&all[next..end]);
            }
            let Some(after) = all.get(end) else { break };
            let gap = &text[all[end - 1].end()..after.start];
            // "in zwei Häusern, Ash und Oak, Kindergarten und Schule"
            let closes = item > 0 && word_before(all, next).is_some_and(is_and);
            next = match gap {
                ", " if is_list && !closes => end,
                " " if is_and(after) => end + 1,
                _ => break,
            };
            // "and the shipyard Ash"
            let skipped = all[next..].iter().take_while(|word| !word.is_upper());
            next += skipped.take(2).count();
        }
        Ok(out)
    }

    /// Whether a firm with its legal form begins a line or follows the employer's name, or its
    /// sentence is about owners: `Harbour Grill, Tolliver Inns Ltd`.
    fn is_beside_own(&self, context: &Context<'_>, first: usize) -> Result<bool> {
        let ends = |c: char| matches!(c, '\n' | '\u{1e}' | '!' | '?' | ';');
        let (before, after) = context.text.split_at(context.all[first].start);
        context.budget.spend(MAX_LINE)?;
        let before = &before[before.ceil_char_boundary(before.len().saturating_sub(MAX_LINE))..];
        let after = &after[..after.floor_char_boundary(MAX_LINE)];
        let line = before.rsplit(ends).next().unwrap_or_default();
        let after = after.split(ends).next().unwrap_or_default();
        let clause = line.rsplit(". ").next().unwrap_or_default();
        let is_owner = |word: &str| OWNERS.begins(&word.to_lowercase());
        let next = after.split(". ").next().unwrap_or_default();
        let mut words = clause.split([' ', ',']).chain(next.split([' ', ',']));
        let is_apart = line
            .trim_end()
            .ends_with([',', '|', '·', '–', '—', '(', '/']);
        Ok(line.trim().is_empty()
            || words.any(is_owner)
            || is_apart && self.follows_own(context, first)?)
    }

    /// Whether the employer is before a word in its sentence.
    fn follows_own(&self, context: &Context<'_>, at: usize) -> Result<bool> {
        let (text, all) = (context.text, context.all);
        for word in (at.saturating_sub(MAX_WORDS + MAX_BETWEEN)..at).rev() {
            let between = &text[all[word].end()..all[at].start];
            if between.contains(['\n', '!', '?', ';']) || between.contains(". ") {
                break;
            }
            if OWN.has(&all[word].lower) || self.name_at(context.on(), word)?.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Between a phrase and the name.
const GAPS: [&str; 10] = [
    " ", ", ", ": ", " – ", " — ", " - ", " (", "’", "'", "\u{a0}",
];

/// Whether the words of a phrase before its last one are at a word.
fn fits(context: &Context<'_>, first: usize, others: &[&str]) -> bool {
    let words = context.all.get(first..first + others.len());
    words.is_some_and(|words| words.iter().zip(others).all(|(word, it)| word.lower == *it))
}

/// The first word after a phrase, or after its colon: `three homes in Rydal: Ash Court and …`.
fn behind(context: &Context<'_>, at: usize, phrase: Phrase) -> usize {
    const MAX_BYTES: usize = 40;
    let rest = &context.text[context.all[at].end()..];
    let rest = &rest[..rest.floor_char_boundary(MAX_BYTES)];
    let place = rest.split_once(':').map_or("", |(place, _)| place);
    let is_list = phrase == Phrase::List && !place.contains(['.', '\n', ';', '!', '?']);
    let end = context.all[at].end() + if is_list { place.len() } else { 0 };
    context
        .all
        .partition_point(|word| word.start < end)
        .max(at + 1)
}

const fn is_eastern(c: char) -> bool {
    matches!(c, '\u{590}'..='\u{6ff}' | '\u{3040}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}')
}
