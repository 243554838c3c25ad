//! Persons in running text: beside their role (`our principal, Amelia Strachan`), as leaders
//! (`chaired by Amelia Strachan`), and as those who answer (`Amelia Strachan reads every letter`).
//!
//! Words of roles and verbs are tables. Names are two to four capitalised words. One such word
//! counts only beside words that no other thing has.

use super::{
    Cues, List, Word,
    beside::is_office,
    evidence::{Evidence, evidence, is_given, is_other, is_particle, names_role},
    run::{has_contact, is_followed, is_name, line_start, run},
    word_before,
};
use crate::{
    Range,
    redact::{vocabulary::AND, words::begins_sentence},
};

static OWN: List = List::new(include_str!("../tables/role_own.txt"));
/// Between a role and its person.
static BETWEEN: List = List::new(
    "will be is are heißt ist sind wird s est sont es é será è sarà wordt zijn är heter er on ovat jest je są jsou sú este sunt e е yra ir είναι",
);

/// Verbs after a person who answers questions.
static ANSWERS: List = List::new(include_str!("../tables/answers.txt"));
static LEADS: List = List::new(include_str!("../tables/leads.txt"));
static LED_BY: List = List::new(include_str!("../tables/led_by.txt"));
static FAMILY_OF: List = List::new(include_str!("../tables/family_of.txt"));
static TITLES_AFTER: List = List::new(include_str!("../tables/titles_after.txt"));

/// Of a role with its complement: `our Head of Sales and Service`, in words.
const MAX_ROLE: usize = 6;

/// Two capitalised words after a word or a comma, not beginning a sentence without a comma.
pub(super) fn may_begin(text: &str, words: &[Word<'_>], at: usize) -> bool {
    let Some([word, next]) = words.get(at..at + 2) else {
        return false;
    };
    next.is_upper()
        && matches!(&text[word.end()..next.start], " " | "-")
        && is_name(word)
        && is_name(next)
        && !word_before(words, at).is_some_and(|before| {
            before.is_upper()
                && &text[before.end()..word.start] == " "
                && !names_role(before)
                && !((before.is(Cues::LANGUAGES) || before.is_letter())
                    && begins_sentence(text, before.start))
        })
}

pub(super) fn beside(text: &str, words: &[Word<'_>], at: usize, families: Cues) -> Option<Range> {
    let name = Name::new(text, words, at)?;
    if name.answers() {
        // "Kontorleder Bente Solhaug"
        let given = name.names[..name.names.len() - 1].iter().position(is_given);
        return Some(name.names[given.unwrap_or(0)].start..name.range.end);
    }
    // "Bodnár Zsuzsannához": a given name after the family's.
    let is_plain = !name.names[0].is(!Cues::GIVEN);
    let is_hungarian = families == Cues::HUNGARIAN && name.is_known && is_plain && name.is_end();
    (is_hungarian || name.is_before_role() || name.is_after_role() || name.leads())
        .then_some(name.range)
}

pub(super) fn is_family(word: &Word<'_>) -> bool {
    FAMILY_OF.has(&word.lower)
}

/// `Familie van der Zalm`
pub(super) fn family(text: &str, words: &[Word<'_>], at: usize) -> Option<Range> {
    let particles = words
        .get(at + 1..)?
        .iter()
        .take_while(|word| is_particle(word));
    let first = at + 1 + particles.count();
    let names = words.get(first..run(text, words, first))?;
    let length = names.iter().take_while(|word| word.is_upper()).count();
    let names = names.get(..length).filter(|names| !names.is_empty())?;
    let is_plain = |word: &Word<'_>| !word.is(!Cues::GIVEN) && word.letters() > 2;
    let is_name = (1..=2).contains(&names.len()) && is_plain(&names[0]);
    let gap = &text[words[at].end()..words[first - 1].end().max(words[at + 1].start)];
    (is_name && gap.starts_with(' ')).then(|| words[at + 1].start..names[names.len() - 1].end())
}

/// One name before a form of address: `Orhan Bey`.
pub(super) fn alone(words: &[Word<'_>], at: usize) -> Option<Range> {
    let word = &words[at];
    let range = word.start..word.end();
    let is_plain = !word.is(!Cues::GIVEN) && !names_role(word);
    if !is_plain || !is_name(word) || word.letters() < 3 {
        return None;
    }
    let next = words.get(at + 1)?;
    (next.start == range.end + 1 && TITLES_AFTER.has(&next.lower)).then_some(range)
}

/// The words of a role between a name and the next sign.
fn apposition<'a, 'b>(text: &str, words: &'a [Word<'b>], at: usize) -> Option<&'a [Word<'b>]> {
    let rest = &words[at..words.len().min(at + MAX_ROLE)];
    let is_last = |pair: &[Word<'_>]| &text[pair[0].end()..pair[1].start] != " ";
    let length = rest
        .windows(2)
        .position(is_last)
        .map_or(rest.len(), |last| last + 1);
    let role = &rest[..length];
    role.iter().any(names_role).then_some(role)
}

/// Two to four capitalised words without evidence against a person.
struct Name<'a> {
    text: &'a str,
    words: &'a [Word<'a>],
    at: usize,
    names: &'a [Word<'a>],
    range: Range,
    is_known: bool,
}

impl<'a> Name<'a> {
    fn new(text: &'a str, words: &'a [Word<'a>], at: usize) -> Option<Self> {
        let other = Cues::PLACE
            | Cues::REGION
            | Cues::LEGAL
            | Cues::TITLE
            | Cues::AFFIX
            | Cues::STREET_BEFORE
            | Cues::LANGUAGES;
        let names = words.get(at..run(text, words, at))?;
        let (first, last) = names.first().zip(names.last())?;
        let found = evidence(names);
        let is_other = |word: &Word<'_>| word.is(other) && !word.is(Cues::GIVEN);
        let is_person = (2..=4).contains(&names.len())
            && found != Evidence::Against
            && !names.iter().any(names_role)
            && !is_other(first)
            && !is_other(last);
        is_person.then(|| Self {
            text,
            words,
            at,
            names,
            range: first.start..last.end(),
            is_known: found == Evidence::For,
        })
    }

    /// Whether no table knows its words.
    fn is_plain(&self) -> bool {
        self.is_known || self.names.iter().all(|word| word.cues.is_empty())
    }

    fn is_end(&self) -> bool {
        let is_apart = |next: &Word<'_>| next.start > self.range.end + 1 || !next.is_upper();
        self.after().first().is_none_or(is_apart)
    }

    fn after(&self) -> &'a [Word<'a>] {
        &self.words[self.at + self.names.len()..]
    }

    /// `Yurany Ossa, Jefe de Personal`
    fn is_before_role(&self) -> bool {
        let rest = &self.text[self.range.end..];
        let next = self.at + self.names.len();
        if ![", ", " (", " – ", " - ", " | "]
            .iter()
            .any(|gap| rest.starts_with(gap))
        {
            return false;
        }
        let is_role = apposition(self.text, self.words, next).is_some();
        is_role && (self.is_known || has_contact(self.text, self.range.start))
    }

    /// `Kezia Marsh reads every letter.`, `Kezia Marsh from our team will be happy to help`
    fn answers(&self) -> bool {
        const MAX_CLAUSE: usize = 10;
        let is_verb = |word: &Word<'_>| ANSWERS.has(&word.lower);
        let mut end = self.range.end;
        let clause = self.after().iter().take(MAX_CLAUSE).take_while(|word| {
            let is_next = &self.text[end..word.start] == " ";
            end = word.end();
            is_next
        });
        let verb = clause.into_iter().position(is_verb);
        // "Our director Kezia Marsh answers"
        let is_of_role = word_before(self.words, self.at)
            .is_some_and(|role| role.end() + 1 == self.range.start && names_role(role));
        let is_near = verb == Some(0)
            || verb.is_some()
                && (self.is_known || is_of_role || has_contact(self.text, self.range.start));
        is_near
            && (is_of_role || begins_sentence(self.text, self.range.start))
            && self.names.len() <= 3
            && !self.names.iter().any(Word::is_generic)
    }

    /// `chaired by Kezia Marsh`
    fn leads(&self) -> bool {
        let before = &self.words[self.at.saturating_sub(2)..self.at];
        let is_led = match before {
            [.., last] if self.text.get(last.end()..self.range.start) != Some(" ") => false,
            [.., last] if LEADS.has(&last.lower) => true,
            [leads, by] => LED_BY.has(&by.lower) && LEADS.has(&leads.lower),
            _ => false,
        };
        self.is_plain() && is_led
    }

    /// `our principal, Amelia Strachan`, `Your manager will be Gráinne Ó Sé`, `Danışman: Ebru
    /// Saygıner.`
    fn is_after_role(&self) -> bool {
        let front = &self.words[..self.at];
        let Some(before) = front.last() else {
            return false;
        };
        let gap = &self.text[before.end()..self.range.start];
        let verbs = front.iter().rev().take(3);
        let verbs = verbs
            .take_while(|word| gap == " " && BETWEEN.has(&word.lower))
            .count();
        let front = &front[..front.len() - verbs];
        let mut start = self.range.start - gap.len();
        if verbs > 0 {
            start = front.last().map_or(0, Word::end);
        }
        let phrase = front.iter().rev().take(MAX_ROLE).take_while(|word| {
            let between = &self.text[word.end()..start];
            let is_joined = matches!(
                between,
                "" | " " | "-" | "/" | "’" | "'" | " & " | "ª " | ". "
            );
            start = word.start;
            is_joined
        });
        let phrase: Vec<_> = phrase.collect();
        let Some(role) = phrase.iter().position(|word| names_role(word)) else {
            return false;
        };
        let is_own = phrase.iter().any(|word| OWN.has(&word.lower));
        let is_direct = role == 0;
        match gap {
            _ if verbs > 0 => self.is_plain(),
            ": " | " : " | " – " | " — " | " | " | ":\u{a0}" | "\u{a0}: " => {
                let is_end = is_followed(self.text, self.range.end);
                self.names.len() <= 4 && (is_end || self.after().first().is_some_and(joins))
            }
            ", " | " (" => {
                // "la directora de operaciones, Fuensanta Meseguer, …"
                let article = phrase.get(role + 1);
                let is_apposition = article.is_some_and(|word| word.is(Cues::LANGUAGES))
                    && is_followed(self.text, self.range.end);
                self.is_known || (is_own || is_apposition) && self.is_plain()
            }
            " " if is_direct => {
                let is_role = !before.is_upper() || before.is_capitals();
                self.is_known || is_own || is_role && self.is_plain()
            }
            _ => false,
        }
    }
}

/// "and", "or"
pub(super) fn joins(word: &Word<'_>) -> bool {
    static OR: List = List::new(
        "or oder ou of o eller lub nebo alebo vagy sau ili või arba vai tai veya или або oraz",
    );
    AND.contains(&&*word.lower) || OR.has(&word.lower)
}

/// Further persons after one: `Jana und Michael`, `Jana Berg, Michael Weiss`, `and Kezia Marsh`.
pub(super) fn joined(text: &str, words: &[Word<'_>], person: &Range) -> Option<Range> {
    let at = words.partition_point(|word| word.start < person.end);
    let first = words.get(at)?;
    let gap = &text[person.end..first.start];
    let is_and = joins(first);
    let first_name = match gap {
        ", " | " / " | " & " | "; " => at,
        " " | ", and " if is_and => at + 1,
        _ => return None,
    };
    let is_listed = first_name == at;
    let mut start = first_name;
    while words
        .get(start)
        .is_some_and(|title| title.is(Cues::TITLE) && start < at + 4)
    {
        start += 1;
    }
    let names = words.get(start..run(text, words, start))?;
    let range = names.first()?.start..names.last()?.end();
    let before = &text[words[start - 1].end()..range.start];
    if !(matches!(before, " " | ". ") || is_listed && start == at) {
        return None;
    }
    let is_person = if let [name] = names {
        !is_listed && is_name(name) && !is_other(name) && is_given(name)
    } else {
        let name = Name::new(text, words, start)?;
        let line = line_start(text, person.start);
        let label = words.partition_point(|word| word.start < line);
        let is_label = text[line..person.start].contains(':') && names_role(&words[label]);
        let is_plain = name.is_plain() && !names.iter().any(is_office);
        name.is_known || (!is_listed || is_label) && is_plain
    };
    (is_person && (!is_listed || is_followed(text, range.end))).then_some(range)
}
