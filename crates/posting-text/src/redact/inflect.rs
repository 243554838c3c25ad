//! Inflected forms of names: stems and endings by families of languages.
//!
//! A name matches with any ending of a language of its text. The tables are from the grammars named
//! there. A stem is the name without what the ending replaces, so tables change consonants.

use std::sync::LazyLock;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{
    cues::Cues,
    script::Script,
    vocabulary::{List, lines},
    words::unaccented,
};

/// The start of an inflected form, and its possible endings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stem {
    pub(crate) text: String,
    endings: &'static FxHashSet<&'static str>,
}

#[derive(Debug, Default)]
struct Grammar {
    endings: FxHashSet<&'static str>,
    changes: Vec<(&'static str, &'static str)>,
}

/// By the names of families and of other scripts.
static GRAMMARS: LazyLock<FxHashMap<&'static str, Grammar>> = LazyLock::new(|| {
    let mut grammars: FxHashMap<&str, Grammar> = FxHashMap::default();
    for (family, words) in lines(include_str!("tables/endings.txt")) {
        let grammar = grammars.entry(family).or_default();
        for word in words.split_ascii_whitespace() {
            match word.split_once('>') {
                Some(change) => grammar.changes.push(change),
                None => drop(grammar.endings.insert(word)),
            }
        }
    }
    grammars
});

/// Whether a word in lower case is a form of the one with these stems.
pub(crate) fn is_form(stems: &[Stem], lower: &str) -> bool {
    let begins = |lower: &str| stems.iter().any(|stem| stem.begins(lower));
    begins(lower) || Script::of_text(lower) == Script::Greek && begins(&unaccented(lower))
}

/// The families whose given names have cases: those from Romanian on.
pub(crate) const WITH_CASES: Cues = Cues::from_bits_truncate((1 << 10) - (1 << 4));

const MIN_STEM_LETTERS: usize = 3;

/// In lower case, for texts in languages of these families.
pub(crate) fn stems(word: &str, families: Cues) -> Vec<Stem> {
    let mut out = Vec::new();
    if word.chars().count() < MIN_STEM_LETTERS {
        return out;
    }
    match Script::of_text(word) {
        Script::Latin => {
            for (family, _) in (families & Cues::LANGUAGES).iter_names() {
                of_grammar(word, family, &mut out);
            }
            if families.intersects(Cues::FINNIC) {
                gradation(word, &mut out);
            }
            // The v of `-val` becomes the last consonant: `Napfényessel`.
            let last = word.chars().next_back();
            let hungarian = GRAMMARS.get("HUNGARIAN").zip(last);
            if families.intersects(Cues::HUNGARIAN)
                && let Some((grammar, last)) = hungarian
            {
                push(&mut out, format!("{word}{last}"), &grammar.endings);
            }
        }
        Script::Cyrillic => of_grammar(word, "CYRILLIC", &mut out),
        Script::Georgian => of_grammar(word, "GEORGIAN", &mut out),
        Script::Armenian => of_grammar(word, "ARMENIAN", &mut out),
        // Accents move with the ending.
        Script::Greek => of_grammar(&unaccented(word), "GREEK", &mut out),
        _ => {}
    }
    out
}

/// In letters, for a stem that is not the whole name, where words often begin alike.
const MIN_CHANGED: usize = 4;
/// The families for which that holds.
static SHORT_ENDINGS: List = List::new("ENGLISH GERMANIC NORDIC ROMANCE");

fn of_grammar(word: &str, family: &str, out: &mut Vec<Stem>) {
    let Some(grammar) = GRAMMARS.get(family) else {
        return;
    };
    push(out, word.to_owned(), &grammar.endings);
    for (end, instead) in &grammar.changes {
        if let Some(front) = word.strip_suffix(end) {
            let stem = format!("{front}{instead}");
            let is_short = SHORT_ENDINGS.has(family);
            if !is_short || stem.chars().count() >= MIN_CHANGED {
                push(out, stem, &grammar.endings);
            }
        }
    }
}

fn push(out: &mut Vec<Stem>, text: String, endings: &'static FxHashSet<&'static str>) {
    let stem = Stem { text, endings };
    if stem.text.chars().count() >= MIN_STEM_LETTERS && !out.contains(&stem) {
        out.push(stem);
    }
}

/// The other grade of the last consonant: `Keskikatu`, `Keskikadu-`.
fn gradation(word: &str, out: &mut Vec<Stem>) {
    let (Some(finnic), Some(grades), Some(closed), Some(last)) = (
        GRAMMARS.get("FINNIC"),
        GRAMMARS.get("GRADES"),
        GRAMMARS.get("CLOSED GRADES"),
        word.chars().next_back(),
    ) else {
        return;
    };
    let mut add = |stem: String| push(out, stem, &finnic.endings);
    let body = &word[..word.len() - last.len_utf8()];
    if !"aeiouyäöõü".contains(last) {
        // Estonian: "Lind", "Linnu".
        for (strong, weak) in &closed.changes {
            if let Some(front) = word.strip_suffix(strong) {
                for vowel in ["u", "i", "a", "e"] {
                    add(format!("{front}{weak}{vowel}"));
                }
            }
        }
        return;
    }
    for (strong, weak) in &grades.changes {
        if let Some(front) = body.strip_suffix(strong) {
            add(format!("{front}{weak}{last}"));
            for vowel in ["", "i", "e", "o"] {
                add(format!("{front}{weak}{vowel}"));
            }
        }
    }
}

impl Stem {
    pub(crate) fn unaccented(&self) -> Self {
        Self {
            text: unaccented(&self.text),
            endings: self.endings,
        }
    }

    pub(crate) fn begins(&self, word: &str) -> bool {
        word.strip_prefix(self.text.as_str())
            .is_some_and(|rest| rest.is_empty() || self.endings.contains(rest))
    }
}

/// Beginnings of words for companies, groups, people, places and things of work.
static SECOND_PARTS: List = List::new(include_str!("tables/second_parts.txt"));

pub(crate) fn is_second_part(rest: &str) -> bool {
    let after_s = rest.strip_prefix('s');
    SECOND_PARTS.begins(rest) || after_s.is_some_and(|rest| SECOND_PARTS.begins(rest))
}

/// Hebrew and Arabic write and, in, to, from, that, as and the together with the next word.
pub(crate) fn without_prefix(lower: &str) -> impl Iterator<Item = &str> {
    const HEBREW: &str = "ו ב ל מ ה ש כ של וב ול ומ וה וש כש שב מה";
    const ARABIC: &str = "و ف ب ل ك وب ول ال وال بال لل كال";
    let prefixes = match Script::of_text(lower) {
        Script::Hebrew => HEBREW,
        Script::Arabic => ARABIC,
        _ => "",
    };
    prefixes
        .split_ascii_whitespace()
        .filter_map(move |prefix| lower.strip_prefix(prefix))
        .filter(|rest| rest.chars().count() >= 2)
}

/// Hungarian: `Kerekerdőhöz` has the ending of a case.
pub(crate) fn without_case(word: &str) -> Option<&str> {
    static ENDINGS: List = List::new("hoz hez höz nál nél ban ben ból ből ról ről tól től nak nek");
    let bare = ENDINGS.without_ending(word)?;
    (bare.chars().count() > MIN_CHANGED).then_some(bare)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_names() {
        for case in [
            "koskelo FINNIC: koskelolla koskelon koskeloa koskelolaiset",
            "pihlajatupa FINNIC: pihlajatuvassa pihlajatuvan",
            "wirtex SLAVIC: wirtexu wirteksie wirteksu wirtexem",
            "škrobka SLAVIC: škrobce škrobky škrobku škrobkou",
            "złoty SLAVIC: złotym złotego",
            "habrovec SLAVIC: habrovci habrovce",
            "brandtech GERMANIC: brandtechs brandtechler brandtechlerinnen",
            "lufthansa GERMANIC: lufthanseaten",
            "deutsche GERMANIC: deutschen deutscher",
            "telia NORDIC: telias telianere",
            "telekom HUNGARIAN: telekomnál telekomhoz telekommal",
            "arçevik TURKISH: arçevikte arçevikli arçeviğin",
            "ромашка : ромашке ромашки ромашкой ромашку",
            "криниця : криниці криницею",
            "όμιλος : ομιλου ομιλο",
            "vilnis BALTIC: vilnī viļņa vilni",
            "pušis BALTIC: pušyje pušies pušimi",
            "mõisatuba FINNIC: mõisatoas mõisatoa",
            "ravnica SLAVIC: ravničin ravnici",
            "fjallagarður NORDIC: fjallagarði fjallagarðurinn",
            "ზღვისკარი : ზღვისკარში ზღვისკარის",
            "լուսաքար : լուսաքարում լուսաքարը",
        ] {
            let (head, forms) = case.split_once(": ").unwrap();
            let (name, family) = head.split_once(' ').unwrap();
            let family = bitflags::parser::from_str(family).unwrap();
            let stems = stems(name, family);
            for form in forms.split(' ') {
                assert!(stems.iter().any(|stem| stem.begins(form)), "{name} {form}");
            }
        }
    }

    #[test]
    fn other_words() {
        for (name, other) in [
            ("acmera", "acmeraish"),
            ("uber", "übermorgen"),
            ("meta", "metadata"),
            ("target", "targeting"),
        ] {
            assert!(
                !stems(name, Cues::LANGUAGES)
                    .iter()
                    .any(|stem| stem.begins(other)),
                "{other}"
            );
        }
    }

    #[test]
    fn prefixes_are_written_together() {
        assert!(without_prefix("בתבור").any(|rest| rest == "תבור"));
        assert!(without_prefix("وسنديان").any(|rest| rest == "سنديان"));
        assert_eq!(without_prefix("bacmera").count(), 0);
    }
}
