//! Companies that a text puts beside the employer: owner, group, former name, client of an agency.

use super::{
    Context, Cues, Names, Result, Script, Word, cues,
    form::is_cased,
    is_among, is_ordinary, joined,
    parts::MAX_WORDS,
    phrases::{PHRASES, Phrase},
    words,
};
use crate::{
    pattern::patterns,
    redact::{
        vocabulary::{ACRONYMS, listed, without_ending},
        words::{begins_sentence, is_gap},
    },
};

const MAX_RELATED: usize = 4;
/// The most other words between the parts of a phrase.
const MAX_BETWEEN: usize = 3;

const BETWEEN: &str = include_str!("../tables/related_between.txt");
const GROUPS: &str = include_str!("../tables/related_groups.txt");
/// Whom an agency works for, up to four words before the client.
const FOR: &str = include_str!("../tables/related_for.txt");
const HOUSE_FOR: &str = include_str!("../tables/house_for.txt");
/// Software, which has the same word.
const SOFTWARE: &str = "email mail e-mail ftp ssh git sql http api web thin fat windows desktop";
/// No companies behind a phrase, or none that must be hidden, and ends of German nouns.
const OTHERS: &str = include_str!("../tables/related_others.txt");
const NOUNS: &str = include_str!("../tables/related_nouns.txt");
const OWN: &str = include_str!("../tables/related_own.txt");
/// Beginnings of words in the name of an agency.
const AGENCIES: &str = include_str!("../tables/agencies.txt");

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
        let mut found: Vec<String> = Vec::new();
        let is_of_agency =
            |word: &Word<'_>| listed(AGENCIES).any(|part| word.lower.starts_with(part));
        let is_agency = words(context.posting.company_name).iter().any(is_of_agency)
            || CALLED_AGENCY.is_match(text);
        for (at, word) in all.iter().enumerate() {
            let Some(phrases) = PHRASES.get(&*word.lower) else {
                continue;
            };
            for (others, phrase) in phrases {
                context.budget.spend(8 + MAX_WORDS + title.len())?;
                let run = match phrase {
                    Phrase::After => after_phrase(context, at, others),
                    Phrase::AfterOwn => self.after_own(context, at, others)?,
                    Phrase::Agency | Phrase::AgencyClient if !is_agency => None,
                    _ => self.before_phrase(context, at, others, *phrase)?,
                };
                if let Some(run) = run {
                    let last = &run[run.len() - 1];
                    let genitive = last.lower.strip_suffix('s').filter(|it| is_ordinary(it));
                    let end = last.end() - usize::from(genitive.is_some());
                    let name = &text[run[0].start..end];
                    // "Grupo Beira Barro": the word for the group was left out.
                    let of_group = (text[..run[0].start].trim_end().rsplit([' ', '\n']).next())
                        .is_some_and(|word| is_among(GROUPS, &word.to_lowercase()));
                    if is_name(run, of_group, &title, context)
                        && !found.iter().any(|known| known == name)
                    {
                        found.push(name.to_owned());
                    }
                }
            }
        }
        if is_agency {
            for (at, form) in all.iter().enumerate() {
                context.budget.spend(1)?;
                let run = with_form(context, at, form);
                if let Some(run) = run
                    && self.name_at(context.on(), at + 1 - run.len())?.is_none()
                    && is_name(&run[..run.len() - 1], false, &[], context)
                {
                    found.push(text[run[0].start..form.end()].to_owned());
                }
            }
        }
        if !text.is_ascii() && text.contains(is_eastern) {
            context.budget.spend(text.len().saturating_mul(4))?;
            for group in EASTERN.captures_iter(text) {
                let name = group.iter().skip(1).flatten().next();
                let name = name.map_or("", |name| name.as_str());
                let is_own = context.posting.company_name.contains(name);
                if name.chars().nth(1).is_some() && !is_own && !context.is_place(name) {
                    found.push(name.to_owned());
                }
            }
        }
        found.truncate(MAX_RELATED);
        for name in &found {
            self.add_name(name, context)?;
        }
        self.related = found;
        Ok(())
    }

    fn before_phrase<'c>(
        &self,
        context: &'c Context<'_>,
        at: usize,
        others: &[&str],
        phrase: Phrase,
    ) -> Result<Option<&'c [Word<'c>]>> {
        let (text, all) = (context.text, context.all);
        let Some(first) = at.checked_sub(others.len()) else {
            return Ok(None);
        };
        let fits = |first: usize| {
            let words = all[first..first + others.len()].iter();
            words.map(|word| &*word.lower).eq(others.iter().copied())
        };
        // "gehört seit 2019 zur …-Gruppe"
        let is_parted = !fits(first) && !others.is_empty();
        let parted = (1..=MAX_BETWEEN).filter(|_| is_parted).find_map(|more| {
            let first = first.checked_sub(more)?;
            let gap = &text[all[first].start..all[at].start];
            (fits(first) && !gap.contains(['.', '\n', ';'])).then_some(first)
        });
        let first = parted.unwrap_or(first);
        if (is_parted && parted.is_none()) || (phrase == Phrase::Lower && all[at].is_upper()) {
            return Ok(None);
        }
        if matches!(phrase, Phrase::Client | Phrase::House) {
            // German nouns have capitals: "im Hotel Köche und Kellner".
            let is_german = matches!(context.posting.country, Some("DE" | "AT" | "CH" | "LI"));
            let (most, list) = match phrase {
                Phrase::House => (2, HOUSE_FOR),
                _ => (4, FOR),
            };
            let before = &all[at.saturating_sub(most)..at];
            if before
                .last()
                .is_some_and(|word| is_among(SOFTWARE, &word.lower))
                || phrase == Phrase::House && is_german
                || !before.iter().any(|it| is_among(list, &it.lower))
            {
                return Ok(None);
            }
        }
        let mut next = at + 1;
        let mut is_group = phrase == Phrase::Lower;
        // "im Auftrag unseres Kunden, der Traunfels AG", "our client (Traunfels)"
        while let Some(word) = all.get(next)
            && next <= at + 3
            && matches!(
                &text[all[next - 1].end()..word.start],
                " " | ", " | ": " | " – " | " — " | "’" | "'"
            )
            && is_among(BETWEEN, &word.lower)
            && !(word.is_upper() && next + 1 < all.len() && !all[next + 1].is_upper())
        {
            is_group |= is_among(GROUPS, &word.lower);
            next += 1;
        }
        let gap = all
            .get(next)
            .map(|word| &text[all[next - 1].end()..word.start]);
        let is_beside = gap.is_some_and(|gap| {
            matches!(
                gap,
                " " | ", " | ": " | " – " | " — " | " - " | " (" | "’" | "'" | "\u{a0}"
            ) || gap.ends_with(['„', '«', '“', '"'])
        });
        if !is_beside {
            return Ok(None);
        }
        // "our client, The Saltram Hotel"
        let is_own = |word: &Word<'_>| {
            word.text == "The" || word.is_upper() && is_among(GROUPS, &word.lower)
        };
        let goes_on = next > at + 1 && all.get(next).is_some_and(Word::is_upper);
        next -= usize::from(goes_on && is_own(&all[next - 1]));
        let end = run_end(text, all, next);
        let Some(run) = all.get(next..end).filter(|run| !run.is_empty()) else {
            return Ok(None);
        };
        // "Fathom & Field is the trading name of Tolliver Research"
        if self.name_at(context.on(), next)?.is_some() {
            let subject = subject(context, first);
            return Ok(subject.filter(|_| phrase == Phrase::Strong));
        }
        is_group |= run.iter().any(is_group_word);
        if matches!(
            phrase,
            Phrase::Strong | Phrase::Client | Phrase::AgencyClient | Phrase::House
        ) || is_group
        {
            return Ok(Some(run));
        }
        // "söker Viskan Bemanning sömmare till …": an agency may be within the phrase.
        let last = if phrase == Phrase::Agency { at } else { first };
        Ok(self.follows_own(context, last)?.then_some(run))
    }

    /// Whether the employer is before a word in its sentence.
    fn follows_own(&self, context: &Context<'_>, at: usize) -> Result<bool> {
        let (text, all) = (context.text, context.all);
        for word in (at.saturating_sub(MAX_WORDS)..at).rev() {
            let between = &text[all[word].end()..all[at].start];
            if between.contains(['\n', '!', '?', ';']) || between.contains(". ") {
                break;
            }
            if is_among(OWN, &all[word].lower) || self.name_at(context.on(), word)?.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn after_own<'c>(
        &self,
        context: &'c Context<'_>,
        at: usize,
        others: &[&str],
    ) -> Result<Option<&'c [Word<'c>]>> {
        let Some(run) = after_phrase(context, at, others) else {
            return Ok(None);
        };
        let first = context
            .all
            .partition_point(|word| word.start < run[0].start);
        for word in first..at {
            if self.name_at(context.on(), word)?.is_some() {
                return Ok(None);
            }
        }
        Ok(self.follows_own(context, first)?.then_some(run))
    }
}

/// The capitalised words before a legal form, and its first word.
fn with_form<'c>(context: &'c Context<'_>, at: usize, form: &Word<'_>) -> Option<&'c [Word<'c>]> {
    const DOTTED: [&str; 9] = [
        "s.r.o", "a.s.", "A.Ş.", "S.A.", "S.L.", "d.o.o", "B.V.", "N.V.", "S.r.l",
    ];
    let (text, all) = (context.text, context.all);
    let rest = &text[form.start..];
    let is_form = form.is(Cues::LEGAL) && (2..=5).contains(&form.letters()) && form.is_upper();
    if !is_form && !DOTTED.iter().any(|dotted| rest.starts_with(dotted)) {
        return None;
    }
    let joins = |later: usize| {
        let gap = &text[all[later - 1].end()..all[later].start];
        (matches!(gap, " " | "-" | " & ") || later == at && gap == ", ")
            && all[later - 1].is_upper()
    };
    let count = (0..MAX_WORDS).take_while(|back| at > *back && joins(at - back));
    let mut first = at - count.count();
    // "Die Dornfeld GmbH"
    if all[first].is(Cues::LANGUAGES) && begins_sentence(text, all[first].start) {
        first += 1;
    }
    (first < at).then(|| &all[first..=at])
}

fn subject<'c>(context: &'c Context<'_>, phrase: usize) -> Option<&'c [Word<'c>]> {
    let (text, all) = (context.text, context.all);
    let first = (phrase.saturating_sub(MAX_WORDS)..phrase)
        .rev()
        .find(|at| begins_sentence(text, all[*at].start))?;
    let end = run_end(text, all, first).min(phrase);
    let run = all.get(first..end)?;
    (phrase - end <= 3)
        .then_some(run)
        .filter(|run| !run.is_empty())
}

fn after_phrase<'c>(
    context: &'c Context<'_>,
    at: usize,
    others: &[&str],
) -> Option<&'c [Word<'c>]> {
    let (text, all) = (context.text, context.all);
    let rest = all.get(at + 1..at + 1 + others.len())?;
    if !rest
        .iter()
        .map(|word| &*word.lower)
        .eq(others.iter().rev().copied())
    {
        return None;
    }
    // "Orquidea Labs, nuestra filial de software"
    let gap = |at: usize| &text[all[at].end()..all[at + 1].start];
    let is_apposition = at > 0 && gap(at - 1) == ", ";
    let mut first = at;
    while let Some(before) = first.checked_sub(1)
        && at - before <= 4
        && (gap(before).trim_matches(['-', ' ']).is_empty() || first == at && is_apposition)
        && all[before].is_upper()
        && (is_apposition || !begins_sentence(text, all[before].start))
    {
        first = before;
    }
    Some(&all[first..at]).filter(|run| !run.is_empty())
}

const fn is_eastern(c: char) -> bool {
    matches!(c, '\u{590}'..='\u{6ff}' | '\u{3040}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}')
}

fn run_end(text: &str, all: &[Word<'_>], from: usize) -> usize {
    const SMALL: &str = "\
        of and und et y e i & d l de del della dei du des do da dos das la der och og en the van von";
    let mut end = from;
    for at in from..all.len().min(from + MAX_WORDS) {
        let word = &all[at];
        if at > from {
            let gap = &text[all[at - 1].end()..word.start];
            let is_within = is_gap(gap, all[at - 1].text)
                && !gap.contains(['”', '“', '»', '/', '•', '–'])
                && !(gap.starts_with(". ") && all[at - 1].letters() > 1);
            if !is_within {
                break;
            }
        }
        let is_compound = at > from && text[..word.start].ends_with('-');
        if word.is_upper() || (at > from && word.is_number()) || is_compound {
            end = at + 1;
        } else if at == from || !(is_among(SMALL, &word.lower) || is_among(GROUPS, &word.lower)) {
            break;
        }
    }
    end
}

fn is_group_word(word: &Word<'_>) -> bool {
    const ENDINGS: &str = "gruppe gruppen koncernen konsernet konzern groep csoport konserni";
    is_among(GROUPS, &word.lower)
        || without_ending(ENDINGS, &word.lower).is_some_and(|name| name.len() > 3)
}

/// One word is proper, and they are no place.
fn is_name(run: &[Word<'_>], of_group: bool, title: &[Word<'_>], context: &Context<'_>) -> bool {
    let is_of_title = |lower: &str| title.iter().any(|word| &*word.lower == lower);
    let is_proper = |word: &Word<'_>| {
        let is_acronym = word.is_capitals() && word.letters() <= 5;
        let is_other = is_ordinary(&word.lower)
            || (is_acronym && run.len() == 1)
            || word.is(Cues::LANGUAGES
                | Cues::AFFIX
                | Cues::PLACE
                | Cues::REGION
                | Cues::PERSON
                | Cues::TITLE)
            || is_among(ACRONYMS, word.text)
            || is_among(OTHERS, &word.lower)
            || without_ending(NOUNS, &word.lower).is_some()
            || is_of_title(&word.lower)
            || is_among(GROUPS, &word.lower);
        !is_other && word.letters() >= 3 && !context.is_place(&word.lower)
    };
    let spaced: Vec<&str> = run.iter().map(|word| &*word.lower).collect();
    // "Marmara Holding", "Rede Pinhão", "Cerámica Cholula", "Red River Savings"
    let is_group = |word: &Word<'_>| word.is(Cues::LEGAL) || is_group_word(word);
    let is_local = |word: &Word<'_>| word.is(Cues::REGION) || context.is_place(&word.lower);
    let capitals = run.iter().filter(|word| word.is_upper()).count();
    let is_of_group = of_group
        || (capitals >= 2
            && (run.iter().any(is_group)
                || (run.iter().any(is_local) && run.iter().any(|it| is_ordinary(&it.lower)))))
        || capitals >= 3;
    (run.iter().any(is_proper) || is_of_group)
        && (of_group || !context.is_place(&spaced.join(" ")))
        && !cues::are_of(&joined(run), Cues::GENERIC)
        && (is_cased(run[0].text) || Script::of_text(run[0].text) != Script::Latin)
}
