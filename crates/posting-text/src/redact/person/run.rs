//! Runs of capitalised words, which may be names, and the line around them.

use super::{
    Cues, List, Word,
    evidence::{is_particle, names_role},
};

const MAX_NAME_WORDS: usize = 8;
/// Between "ask" and a name.
pub(super) static PREPOSITIONS: List = List::new(
    "for di de til till efter nach naar na o po pe la con com a à an aan to with med mit met do z s por par para efter etter au o do про о об про по за з des von durch door av af przez par sich sa si",
);

/// Capitalised words, and small ones between them. Returns the index after the last.
pub(super) fn run(text: &str, words: &[Word<'_>], at: usize) -> usize {
    let mut end = at;
    let mut look = at;
    while look < words.len() && look - at < MAX_NAME_WORDS {
        let word = &words[look];
        if look > at {
            let previous = &words[look - 1];
            let gap = &text[previous.end()..word.start];
            let initial = previous.is_letter() && previous.is_upper();
            let joins = matches!(gap, " " | "\u{a0}" | "-" | "’" | "'")
                || (gap == ". " && (initial || previous.is(Cues::TITLE)));
            if !joins {
                break;
            }
        }
        // "Ketola-aho", "Лук'ян"
        let is_cyrillic = || word.text.starts_with(|c| matches!(c, 'а'..='ї'));
        let front = &text[..word.start];
        let is_joined = look > at
            && !word.is_number()
            && (front.ends_with('-') || front.ends_with(['\'', '’']) && is_cyrillic());
        if is_name(word) || is_joined {
            end = look + 1;
        } else if !is_particle(word) || look == at {
            break;
        }
        look += 1;
    }
    end
}

static PATRONYMICS: List = List::new("ович евич ична овна евна івна ївна");

/// After a word that announces a person, or at the given name after a role ("Advisor Kari Hansen"),
/// but not within a double one ("Viggo-Emil Skov").
pub(super) fn first_name(text: &str, names: &[Word<'_>]) -> usize {
    let inner = names.len().saturating_sub(1);
    // "İnsan Kaynakları Uzmanı Nurcan Saygıner"
    let is_office = |at: &usize| {
        let next = &names[*at + 1];
        announces(&names[*at])
            && !names[*at].is(Cues::GIVEN)
            && (next.is_upper() || PREPOSITIONS.has(&next.lower))
    };
    let announced = (0..inner).rfind(is_office).map_or(0, |at| at + 1);
    // "Sunați la Domnica Hrițcu"
    let is_link = |word: &Word<'_>| {
        !word.is_upper()
            && PREPOSITIONS.has(&word.lower)
            && !matches!(&*word.lower, "de" | "van" | "von")
    };
    let announced =
        announced + usize::from(announced > 0 && names.get(announced).is_some_and(is_link));
    let given = names[..inner].iter().position(|word| word.is(Cues::GIVEN));
    // "Коростелёва Нина Павловна"
    let is_patronymic = names
        .last()
        .is_some_and(|last| PATRONYMICS.ends(&last.lower));
    // "Rédeiné Sallai Márta"
    let is_wife = names
        .get(announced)
        .is_some_and(|wife| wife.lower.ends_with("né"));
    let is_after_family = (is_patronymic || is_wife) && given == Some(announced + 1);
    let start = given.filter(|_| !is_after_family).unwrap_or(announced);
    let is_second = start > announced
        && names
            .get(start)
            .is_some_and(|word| &text[names[start - 1].end()..word.start] == "-");
    start - usize::from(is_second)
}

/// Degrees, which belong to a name.
pub(super) static ACADEMIC: List = List::new("dr prof mag ing dipl");

/// A word for contacts, a form of address, or a compound that ends in a role: `Praxismanagerin`.
pub(super) fn announces(word: &Word<'_>) -> bool {
    let is_title = word.is(Cues::TITLE) && !ACADEMIC.has(&word.lower);
    word.is(Cues::PERSON) || is_title || names_role(word)
}

/// Capitalised, but not wholly in capitals like an acronym.
pub(super) fn is_name(word: &Word<'_>) -> bool {
    let letters = word.letters();
    let acronym = (2..=4).contains(&letters) && word.is_capitals();
    // "WhatsApp Tabitha on …"
    let is_way = letters > 1 && word.is(Cues::PHONE | Cues::HANDLE) && !word.is(Cues::GIVEN);
    word.is_upper() && !acronym && !is_way && !word.text.contains(|c: char| c.is_ascii_digit())
}

/// Whether the line has an at sign or the digits of a telephone number.
pub(super) fn has_contact(text: &str, at: usize) -> bool {
    let line = &text[line_start(text, at)..line_end(text, at)];
    line.contains('@') || line.bytes().filter(u8::is_ascii_digit).count() >= 6
}

pub(super) fn is_followed(text: &str, end: usize) -> bool {
    let rest = text[end..].trim_start_matches([' ', '\u{a0}']);
    rest.is_empty()
        || rest.starts_with([
            ',', ';', '\n', '(', ')', '|', '–', '-', '.', ':', '/', '+', '،',
        ])
        || rest.starts_with(|c: char| c.is_ascii_digit())
}

const MAX_LINE_BYTES: usize = 400;

pub(super) fn line_end(text: &str, from: usize) -> usize {
    let to = text.floor_char_boundary(from + MAX_LINE_BYTES);
    text[from..to].find('\n').map_or(to, |end| from + end)
}

pub(super) fn line_start(text: &str, to: usize) -> usize {
    let from = text.ceil_char_boundary(to.saturating_sub(MAX_LINE_BYTES));
    text[from..to]
        .rfind('\n')
        .map_or(from, |end| from + end + 1)
}
