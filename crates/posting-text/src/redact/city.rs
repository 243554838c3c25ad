//! The posting's city, which stays: `Siófokon`, `w Łodzi`, `Turun`, `Szegedi`.

use std::cell::OnceCell;

use super::{
    cues::Cues,
    inflect::{self, Stem},
    key::initial,
    words::{unaccented, words},
};

pub(super) struct City {
    /// In lower case.
    words: Vec<String>,
    families: Cues,
    stems: OnceCell<Vec<Stem>>,
}

impl City {
    /// The families are those of the text's languages.
    pub(super) fn new(city: Option<&str>, families: Cues) -> Self {
        let words = words(city.unwrap_or_default()).into_iter();
        Self {
            words: words.map(|word| word.lower.into_owned()).collect(),
            families,
            stems: OnceCell::new(),
        }
    }

    /// Whether all words are those of the city, in any case, or adjectives of it.
    pub(super) fn is_named(&self, name: &str) -> bool {
        !self.words.is_empty() && words(name).iter().all(|word| self.has_form(&word.lower))
    }

    pub(super) fn has_form(&self, lower: &str) -> bool {
        // "Kyjovka" is a name of its own.
        let is_name = || lower.strip_suffix("ka").is_some_and(|it| self.has(it));
        let first = |word: &str| initial(&unaccented(word));
        self.words.iter().any(|word| first(word) == first(lower))
            && (self.has(lower) || inflect::is_form(self.stems(), lower) && !is_name())
    }

    pub(super) fn has(&self, lower: &str) -> bool {
        let plain = unaccented(lower);
        self.words.iter().any(|word| unaccented(word) == plain)
    }

    /// Whether a word of the city has one of these stems.
    pub(super) fn is_of(&self, stem: &Stem) -> bool {
        self.words.iter().any(|word| stem.begins(word))
    }

    fn stems(&self) -> &[Stem] {
        /// "Romano" is a family, too, and "Londis" a brand.
        const UNSURE: Cues = Cues::ROMANCE.union(Cues::ENGLISH);
        let stems = |word: &String| inflect::stems(word, self.families & !UNSURE);
        self.stems
            .get_or_init(|| self.words.iter().flat_map(stems).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_city_has_cases_and_adjectives() {
        for (name, city, family) in [
            ("Siófokon", "Siófok", Cues::HUNGARIAN),
            ("Szegedi", "Szeged", Cues::HUNGARIAN),
            ("Turun", "Turku", Cues::FINNIC),
            ("Łodzi", "Łódź", Cues::SLAVIC),
            ("Białymstoku", "Białystok", Cues::SLAVIC),
            ("Karlových Varů", "Karlovy Vary", Cues::SLAVIC),
            ("Bremer", "Bremen", Cues::GERMANIC),
        ] {
            assert!(City::new(Some(city), family).is_named(name), "{name}");
        }
        for (name, city) in [
            ("Bergans", "Bergen"),
            ("Londis", "London"),
            ("Romano", "Roma"),
            ("Kyjovka", "Kyjov"),
            ("Turku", ""),
        ] {
            let city = City::new(Some(city), Cues::LANGUAGES);
            assert!(!city.is_named(name), "{name}");
        }
    }
}
