//! Names in another script: in parentheses beside the name, and words that sound like it.

use super::{
    Context, Key, MAX_NAMES, MAX_SPELLINGS, Names, Range, Rc, Result, Script, Text, Token, cjk,
    has_unspaced, inflect, single, words,
};
use crate::redact::{
    script::is_latin,
    sound::{consonants, sound_alike, vowels},
};

const MAX_PAIR_BYTES: usize = 120;
const MIN_CONSONANTS: usize = 3;
/// In consonants, for a word without quotation marks and with other vowels.
const MIN_SURE: usize = 4;

impl Names {
    pub(super) fn add_other_scripts(&mut self, context: &Context<'_>) -> Result<()> {
        context.budget.spend(context.text.len())?;
        if is_latin(context.text) && self.keys().all(|key| is_latin(&key.joined)) {
            return Ok(());
        }
        for name in self.paired(context)? {
            self.add_name(&name, context)?;
        }
        self.add_sounds(context)
    }

    /// Returns the texts in another script that are in parentheses after the name.
    fn paired(&self, context: &Context<'_>) -> Result<Vec<String>> {
        let Context { text, budget, .. } = *context;
        let mut out: Vec<String> = Vec::new();
        for (at, open) in text.match_indices(['(', '（']) {
            budget.spend(2 * MAX_PAIR_BYTES)?;
            let inside = &text[at + open.len()..];
            let inside = &inside[..inside.floor_char_boundary(MAX_PAIR_BYTES)];
            let Some(end) = inside.find([')', '）', '\n']) else {
                continue;
            };
            let inside = &inside[..end];
            let before = &text[text.ceil_char_boundary(at.saturating_sub(MAX_PAIR_BYTES))..at];
            let before = before.rsplit(['\n', '.', '。', '(', '（']).next();
            let before = before.unwrap_or_default().trim();
            let is_other = |one: &str, other: &str| {
                let (one, other) = (Script::of_text(one), Script::of_text(other));
                one != other && one != Script::Other && other != Script::Other
            };
            let last = before
                .rsplit(char::is_whitespace)
                .next()
                .unwrap_or_default();
            if is_other(inside, last) && self.ends_with_name(before, context)? {
                out.push(inside.to_owned());
            }
            if out.len() == MAX_NAMES {
                break;
            }
        }
        Ok(out)
    }

    fn ends_with_name(&self, before: &str, context: &Context<'_>) -> Result<bool> {
        let found = self.find(Text::new(before, &words(before), context.budget))?;
        let rest = |range: &Range| before[range.end..].chars().all(|c| !c.is_alphanumeric());
        Ok(found.last().is_some_and(|range| {
            rest(range) || cjk::without_legal_forms(&before[range.end..]).is_empty()
        }))
    }

    fn add_sounds(&mut self, context: &Context<'_>) -> Result<()> {
        let heads: Vec<(Script, String, String)> = self
            .parts
            .iter()
            .filter(|(_, is_generic)| !is_generic)
            .map(|(part, _)| &part.text)
            .chain(&self.unspaced)
            .map(|name| {
                let lower = name.to_lowercase();
                (Script::of_text(name), consonants(&lower), vowels(&lower))
            })
            .filter(|(script, sound, _)| sound.len() >= MIN_CONSONANTS && *script != Script::Han)
            .collect();
        if heads.is_empty() {
            return Ok(());
        }
        let trades: Vec<(Script, String)> = self
            .parts
            .iter()
            .filter(|(_, is_generic)| *is_generic)
            .map(|(part, _)| (Script::of_text(&part.text), consonants(&part.text)))
            .filter(|(_, sound)| sound.len() >= 2)
            .collect();
        let mut found: Vec<String> = Vec::new();
        let mut trades_found: Vec<String> = Vec::new();
        for word in context.all {
            let script = Script::of_text(&word.lower);
            let fits = |known: &Script| *known != script && script != Script::Other;
            if !heads.iter().any(|(known, ..)| fits(known))
                || matches!(script, Script::Han | Script::Thai)
            {
                continue;
            }
            context.budget.spend(word.text.len() + heads.len())?;
            let is_cased = matches!(script, Script::Latin | Script::Greek | Script::Cyrillic);
            if is_cased && !word.is_upper() {
                continue;
            }
            // "Software" beside a name belongs to it in any script.
            let is_trade = |(known, sound): &(Script, String)| {
                fits(known) && sound_alike(sound, &consonants(&word.lower))
            };
            if trades_found.len() < MAX_SPELLINGS && trades.iter().any(is_trade) {
                trades_found.push(word.lower.to_string());
            }
            // Hiragana around a name in Katakana, and particles after one in Hangul.
            for piece in pieces(&word.lower, script) {
                let sound = consonants(piece);
                let quoted = context.text[..word.start].ends_with(['(', '«', '"']);
                let is_sure = quoted || sound.len() >= MIN_SURE;
                let (open, own) = (vowels(piece), script);
                let alike = heads.iter().any(|(known, head, vowels)| {
                    let same_vowels = *vowels == open && !open.is_empty();
                    fits(known)
                        && sound_alike(head, &sound)
                        && (is_sure || same_vowels || own == Script::Kana)
                });
                if sound.len() >= MIN_CONSONANTS
                    && alike
                    && found.len() < MAX_SPELLINGS
                    && !found.iter().any(|known| known == piece)
                {
                    found.push(piece.to_owned());
                }
            }
        }
        if !found.is_empty() {
            let part = |text| (Rc::new(Token::word(text)), true);
            self.parts.extend(trades_found.into_iter().map(part));
        }
        for name in found {
            if has_unspaced(&name) {
                self.push_unspaced(name);
            } else {
                let case = single(name.chars().count());
                self.push(Key::word(name, case));
            }
        }
        Ok(())
    }
}

/// Runs of Katakana, a word of Hangul without particles, or the word itself.
fn pieces(word: &str, script: Script) -> Vec<&str> {
    match script {
        Script::Kana => word
            .split(|c: char| !matches!(c, '\u{30a0}'..='\u{30ff}'))
            .filter(|piece| piece.chars().nth(2).is_some())
            .collect(),
        Script::Hangul => word
            .char_indices()
            .map(|(at, c)| &word[..at + c.len_utf8()])
            .skip(2)
            .take(6)
            .collect(),
        Script::Hebrew | Script::Arabic => std::iter::once(word)
            .chain(inflect::without_prefix(word))
            .collect(),
        _ => vec![word],
    }
}
