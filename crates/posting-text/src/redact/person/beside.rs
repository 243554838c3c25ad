//! Finds persons beside a contact, by their names or by their place in the sentence.

use super::{
    Cues, List, Word, eastern,
    evidence::{self, Evidence, evidence, is_given, is_particle, names_role},
    run::{PREPOSITIONS, announces, first_name, is_name, line_end, line_start, run},
    word_before,
};
use crate::{
    Range,
    redact::{
        cues,
        vocabulary::AND,
        words::{last_word, unaccented},
    },
};

/// In words, around a number or an address.
const BEFORE: usize = 12;
const AFTER: usize = 6;
/// The beginnings of mailboxes that are no persons.
static OFFICES: List = List::new(include_str!("../tables/mailboxes.txt"));
const ANNOUNCES: Cues = Cues::PERSON.union(Cues::PHONE).union(Cues::TITLE);

pub(super) fn beside(text: &str, words: &[Word<'_>], contact: &Range, out: &mut Vec<Range>) {
    let after = words.partition_point(|word| word.start < contact.end);
    let before = words.partition_point(|word| word.end() <= contact.start);
    let from = before.saturating_sub(BEFORE);
    let start = line_start(text, contact.start);
    let end = line_end(text, contact.end);
    let mut at = words[from..before].partition_point(|word| word.start < start) + from;
    let last = words.len().min(after + AFTER);
    while at < last && words[at].start < end {
        let word = &words[at];
        if !is_name(word) {
            if !word.text.is_ascii() {
                out.extend(without_capitals(text, words, at, contact));
            }
            at += 1;
            continue;
        }
        let next = run(text, words, at).max(at + 1);
        let skipped = first_name(text, &words[at..next]).min(next - at - 1);
        let whole = Run::new(text, words, at + skipped..next, contact);
        if whole.is_known() {
            out.push(whole.range());
        } else if let Some(run) = whole.trimmed(at).filter(Run::is_placed) {
            out.push(run.range());
        }
        at = next;
    }
}

/// Capitalised words that may be a name, and a contact near them.
struct Run<'a> {
    text: &'a str,
    words: &'a [Word<'a>],
    first: usize,
    names: &'a [Word<'a>],
    contact: &'a Range,
    found: Evidence,
}

impl<'a> Run<'a> {
    fn new(text: &'a str, words: &'a [Word<'a>], at: Range, contact: &'a Range) -> Self {
        let names = &words[at.clone()];
        Self {
            text,
            words,
            first: at.start,
            names,
            contact,
            found: evidence(names),
        }
    }

    fn range(&self) -> Range {
        self.names[0].start..self.names[self.names.len() - 1].end()
    }

    /// The text between the name and a contact after it.
    fn before(&self) -> Option<&'a str> {
        self.text.get(self.range().end..self.contact.start)
    }

    /// The text between a contact and the name after it.
    fn after(&self) -> Option<&'a str> {
        self.text.get(self.contact.end..self.range().start)
    }

    fn is_number(&self) -> bool {
        self.text[self.contact.clone()].ends_with(|c: char| c.is_ascii_digit())
            && !self.text[self.contact.clone()].contains('@')
    }

    fn is_known(&self) -> bool {
        let is_other = |word: &Word<'_>| names_role(word) || is_small(word);
        if self.found == Evidence::For && self.names.len() >= 2 {
            return self.is_of_sentence();
        }
        !self.names.iter().any(is_other)
            && self.found != Evidence::Against
            && !self.is_counted()
            && self.is_mailbox()
    }

    fn is_mailbox(&self) -> bool {
        let mailbox = self.text[self.contact.clone()].split_once('@');
        let mailbox = mailbox.map(|(local, _)| unaccented(&local.to_lowercase()));
        let mailbox = mailbox.unwrap_or_default();
        let is_part = |word: &Word<'_>| {
            let plain = unaccented(&word.lower);
            plain.len() >= 3
                && mailbox
                    .split(|c: char| !c.is_alphanumeric())
                    .any(|part| part == plain)
        };
        self.names.iter().any(is_part) && !self.names.iter().any(is_office)
    }

    /// Whether no other sentence is between name and contact, and the name is neither counted (`30
    /// Tage Urlaub`) nor a part of a firm's name (`Holm & Sons`).
    fn is_of_sentence(&self) -> bool {
        let gap = self.before().unwrap_or_default();
        let gap = gap.trim_start_matches(['.', ' ']);
        // "tel. 0431" is no end, ". Ring" is one.
        let ends = full_stops(gap, |word, rest| {
            let is_title = || cues::are_of(&word.to_lowercase(), Cues::PHONE | Cues::TITLE);
            word.chars().nth(2).is_some() && !is_title() && rest.starts_with(char::is_uppercase)
        });
        !self.is_counted() && !gap.starts_with("& ") && !ends && !ends_sentence(gap)
    }

    /// `30 Tage Urlaub`, `38068 Rovereto`
    fn is_counted(&self) -> bool {
        let before = self.text[..self.range().start].strip_suffix(' ');
        before.is_some_and(|it| {
            it.ends_with(|c: char| c.is_ascii_digit()) && it.len() != self.contact.end
        })
    }

    /// Removes words that announce the name: "Chiama Donato Greco", "Me Solène Kervadec".
    fn trimmed(&self, at: usize) -> Option<Self> {
        let end = self.first + self.names.len();
        let names = &self.words[at..end];
        let is_own = |word: &&Word<'_>| {
            let is_small = word.letters() <= 3 && word.is_generic();
            !word.is(Cues::GIVEN) && (word.is(ANNOUNCES) || announces(word) || is_small)
        };
        let own = names.iter().take_while(is_own).count();
        // "Sunați la Domnica Hrițcu"
        let is_link = |word: &Word<'_>| !word.is_upper() && PREPOSITIONS.has(&word.lower);
        let has_link = own > 0 && own + 1 < names.len() && is_link(&names[own]);
        let own = own + usize::from(has_link);
        // "Responsabile del Personale"
        let is_part = own > 0 && names_role(&names[own - 1]);
        let is_left = own < names.len() && (!is_part || names[own].is_upper());
        is_left.then(|| Self::new(self.text, self.words, at + own..end, self.contact))
    }

    fn is_placed(&self) -> bool {
        const OTHERS: Cues = Cues::PLACE.union(Cues::REGION).union(Cues::LEGAL);
        static NETWORKS: List = List::new(
            "instagram telegram linkedin facebook whatsapp twitter youtube tiktok discord mastodon slack messenger signal viber threads github xing bluesky snapchat",
        );
        let is_other = |word: &Word<'_>| {
            (word.is(OTHERS) && !is_given(word))
                || is_small(word)
                || names_role(word)
                || NETWORKS.begins(&word.lower)
        };
        if self.found == Evidence::Against
            || self.names.len() > 4
            || self.names.iter().any(is_other)
        {
            return false;
        }
        match self.names {
            [name] => {
                (name.letters() >= 3 || name.is(Cues::GIVEN) && name.letters() == 2)
                    && !name.is_capitals()
                    && !name.is(Cues::TITLE)
                    && (self.one_before() || self.one_after(name))
            }
            names => {
                let is_after = names.len() == 2 && self.is_number() && self.is_end();
                self.several_before()
                    || (is_after && self.after().is_some_and(is_separator))
                    || self.is_asked_for()
            }
        }
    }

    /// `Hör av dig till Linnea på 040-628 04 15`, `Jip: 06 55 50 12 12`
    fn one_before(&self) -> bool {
        let Some(gap) = self.before().filter(|gap| gap.len() <= 18) else {
            return false;
        };
        let is_direct = matches!(
            gap,
            ", " | " (" | ": " | " " | " – " | " - " | " — " | " / "
        );
        let is_opening = is_direct && gap != " " && self.begins_clause();
        self.leads_to()
            && (self.is_addressed() || (is_opening && self.is_number() && self.is_no_office()))
    }

    /// A given name, or a word that no table knows.
    fn is_no_office(&self) -> bool {
        let name = &self.names[0];
        is_given(name) || (name.cues.is_empty() && !is_office(name))
    }

    /// `08 55 50 18, Bernadette.`, `01632 960 406 and ask for Siobhra.`
    fn one_after(&self, name: &Word<'_>) -> bool {
        let is_beside = self.after().is_some_and(is_separator) && is_given(name);
        (is_beside || self.is_asked_for()) && self.is_end()
    }

    /// `and Kezia Marsh (01632 960 406)`, `bei Hinnerk Tamsen unter jobs@…`
    fn several_before(&self) -> bool {
        const MAX_DIRECT: usize = 16;
        if !self.leads_to() {
            return false;
        }
        let is_near = self.before().is_some_and(|gap| gap.len() <= MAX_DIRECT);
        let is_within = word_before(self.words, self.first).is_some_and(|before| {
            let between = &self.text[before.end()..self.range().start];
            matches!(between, " " | "\u{a0}") && !before.is_upper() && !before.is_number()
        });
        let is_opening = self.begins_clause() && self.is_number() && self.names.len() <= 3;
        (is_near && (is_within || is_opening)) || self.is_announced()
    }

    /// `01632 960 406 and ask for Siobhra`, `(47) 95555-0127 com Jucélia`
    fn is_asked_for(&self) -> bool {
        const MAX_GAP_BYTES: usize = 40;
        /// Words for "with" and "for" between a number and a person.
        static WITH: List = List::new("com con with avec mit med met z s se c с із з със cu ja");
        let Some(gap) = self.after().filter(|gap| gap.len() <= MAX_GAP_BYTES) else {
            return false;
        };
        let between = &self.words[..self.first];
        let between = &between[between.partition_point(|it| it.start < self.contact.end)..];
        match between {
            _ if ends_sentence(gap) || !gap.ends_with([' ', '(']) => false,
            [small] if WITH.has(&small.lower) => self.names.len() == 2 || self.is_end(),
            [.., call, small] if call.is(Cues::PERSON) => PREPOSITIONS.has(&small.lower),
            [.., call] => call.is(Cues::PERSON),
            [] => false,
        }
    }

    fn is_addressed(&self) -> bool {
        static TO: List = List::new(include_str!("../tables/addressed.txt"));
        let start = self.range().start;
        let before = word_before(self.words, self.first);
        before.is_some_and(|before| {
            let between = &self.text[before.end()..start];
            // "Bente på 55 50 01 18 og Yusra på 55 50 01 19"
            let is_after_number = self.text[..before.start]
                .trim_end()
                .ends_with(|c: char| c.is_ascii_digit());
            let is_and = AND.contains(&&*before.lower) && is_after_number;
            (matches!(between, " " | "\u{a0}")
                && (TO.has(&before.lower)
                    || before.is(Cues::PERSON | Cues::PHONE)
                    || is_and && self.is_number() && self.is_no_office()))
                || (matches!(between, ": " | " : ") && before.is(Cues::PERSON))
        })
    }

    /// Whether a word for a person or a telephone precedes the name in its line and sentence.
    fn is_announced(&self) -> bool {
        let start = self.range().start;
        let line = line_start(self.text, start);
        let front = self.text[..start].trim_end();
        let announces = |word: &Word<'_>| {
            let gap = &self.text[word.end()..start];
            let is_short = word.letters() <= 3;
            word.start >= line
                && word.is(ANNOUNCES)
                && !ends_sentence(gap)
                && !gap.contains(|c: char| c.is_ascii_digit())
                && (!is_short || word.is_upper() || word.is(Cues::PERSON))
        };
        front.ends_with([':', '：', '('])
            || self.words[self.first.saturating_sub(6)..self.first]
                .iter()
                .any(announces)
    }

    fn begins_clause(&self) -> bool {
        let front = &self.text[..self.range().start];
        let ends = ["\n", "? ", "! ", ". ", "), ", "; "];
        front.is_empty() || ends.iter().any(|end| front.ends_with(end))
    }

    fn is_end(&self) -> bool {
        is_end(self.text, self.range().end)
    }

    /// Whether only lower-case words and those for a telephone, a role or a messenger are between
    /// the name and a contact, in one sentence.
    fn leads_to(&self) -> bool {
        leads_to(
            self.text,
            &self.words[self.first + self.names.len()..],
            self.range().end,
            self.contact,
        )
    }
}

/// The beginning of a mailbox or a department.
pub(super) fn is_office(word: &Word<'_>) -> bool {
    OFFICES.begins(&unaccented(&word.lower))
}

/// A word of a language that is no part of a name.
fn is_small(word: &Word<'_>) -> bool {
    word.is(Cues::LANGUAGES) && !is_particle(word) && !is_given(word)
}

fn is_separator(gap: &str) -> bool {
    matches!(gap, ", " | " (" | " – " | " - " | " — ")
}

fn without_capitals(text: &str, words: &[Word<'_>], at: usize, contact: &Range) -> Option<Range> {
    let word = &words[at];
    let is_announced = text[..word.start].trim_end().ends_with(':')
        && leads_to(text, &words[at + 1..], word.end(), contact);
    let after = text.get(contact.end..word.start);
    let before = text.get(word.end()..contact.start);
    // "052-5550182, דני."
    let is_own_clause = (after.is_some_and(|gap| matches!(gap, ", " | "، " | " (" | " - "))
        && is_end(text, word.end()))
        || (is_announced && before.is_some_and(|gap| matches!(gap, ", " | "، " | " " | " - ")));
    if is_own_clause && word.is(Cues::GIVEN) {
        return Some(word.start..word.end());
    }
    eastern::in_list(text, word, contact)
        .or_else(|| eastern::in_own_clause(text, words, at, contact))
        .or_else(|| evidence::called(text, words, at, contact))
        .or_else(|| eastern::titled(word, true))
        .or_else(|| eastern::korean_titled(text, words, at))
        .or_else(|| evidence::uncased(text, words, at, is_announced))
}

fn is_end(text: &str, at: usize) -> bool {
    let rest = text[at..].trim_start_matches(' ');
    rest.is_empty() || rest.starts_with(['.', ',', ';', '\n', '(', ')', '!'])
}

/// "tel." is none.
fn ends_sentence(gap: &str) -> bool {
    let ends = |word: &str, _: &str| word.is_empty() || word.chars().nth(5).is_some();
    full_stops(gap, ends) || gap.contains(['\n', '!', ';'])
}

fn full_stops(gap: &str, is_such: impl Fn(&str, &str) -> bool) -> bool {
    let mut stops = gap.match_indices(". ");
    stops.any(|(at, stop)| is_such(last_word(&gap[..at]), &gap[at + stop.len()..]))
}

fn leads_to(text: &str, next: &[Word<'_>], end: usize, contact: &Range) -> bool {
    const MAX_GAP_BYTES: usize = 60;
    const PLAIN: Cues = Cues::PHONE
        .union(Cues::HANDLE)
        .union(Cues::PERSON)
        .union(Cues::GENERIC);
    let gap = text.get(end..contact.start);
    let between = next.iter().take_while(|word| word.start < contact.start);
    gap.is_some_and(|gap| gap.len() <= MAX_GAP_BYTES && !ends_sentence(gap))
        && between
            .take(6)
            .all(|word| !word.is_upper() || word.is(PLAIN))
}
