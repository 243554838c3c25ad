//! Further spellings of a name: the words before its acronym, and the website's label.

use super::{Case, Context, Key, Names, Result, Token, Word, joined, unaccented, words};
use crate::redact::{key::splits, vocabulary::ACRONYMS, words::without_umlauts};

impl Names {
    /// Adds the label and its words.
    pub(super) fn add_label(&mut self, label: &str, context: &Context<'_>) -> Result<()> {
        let parts = words(label);
        let joined = joined(&parts);
        let letters = joined.chars().count();
        let named = self.keys().any(|key| key.joined == joined);
        let mut generic = true;
        for part in &parts {
            generic = generic
                && !context.is_distinctive(&part.lower)?
                && !context.is_brand(part, Some(label))?;
        }
        if letters >= 3 && !named && !generic && joined.chars().any(char::is_alphabetic) {
            self.add_words_of_label(&parts, context)?;
        }
        Ok(())
    }

    /// The words together, and the proper ones alone.
    fn add_words_of_label(&mut self, parts: &[Word<'_>], context: &Context<'_>) -> Result<()> {
        let whole = joined(parts);
        let letters = whole.chars().count();
        // Words that the text also capitalises are others in lower case.
        let is_written = |word: &Word<'_>| {
            word.is_upper() && word.text.len() >= 3 && whole.starts_with(&*word.lower)
        };
        context.budget.spend(context.all.len())?;
        let has_words = context.all.iter().any(is_written);
        let case = match letters {
            3 => Case::Upper,
            4 | 5 => Case::Capital,
            _ if has_words => Case::Capital,
            _ => Case::Any,
        };
        let own_splits = (letters < 8).then(|| splits(parts));
        self.push_label(Key {
            splits: own_splits,
            ..Key::word(whole, case)
        });
        if parts.len() < 2 {
            return Ok(());
        }
        for part in parts {
            // Words of the name, and their beginnings, were decided with the name.
            let bare = without_umlauts(&part.lower);
            let begins = |known: &Token| {
                let known = unaccented(&known.text);
                known.starts_with(&*part.lower) || known.starts_with(&bare)
            };
            let is_known = self.parts.iter().any(|(known, _)| begins(known));
            let case = match part.letters() {
                6.. => Case::Capital,
                // "AVX" of "avx-legal"
                3.. if !ACRONYMS.has(&part.text.to_uppercase()) => Case::Upper,
                _ => continue,
            };
            if !is_known && context.is_distinctive(&part.lower)? {
                self.push_label(Key::word(part.lower.to_string(), case));
            }
        }
        Ok(())
    }

    /// A label has no accents: `baecker` is also `Bäcker`.
    fn push_label(&mut self, key: Key) {
        let bare = without_umlauts(&key.joined);
        if bare != key.joined && key.splits.as_ref().is_none_or(Vec::is_empty) {
            self.push(Key {
                accents_count: false,
                ..Key::word(bare, Case::Capital)
            });
        }
        let accents_count = !key.joined.is_ascii();
        self.push(Key {
            accents_count,
            ..key
        });
    }
}
