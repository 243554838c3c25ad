//! Spellings of a name on keyboards that lack some of its letters.

use super::{Key, Rc, unaccented};

/// A spelling without accents; `None` if it has none.
pub(super) fn unaccented_key(key: &Key) -> Option<Key> {
    if key.joined.is_ascii() {
        return None;
    }
    let plain = rewritten(key, unaccented);
    let tokens = key.tokens.iter();
    (plain.joined != key.joined).then(|| Key {
        accents_count: false,
        tokens: tokens.map(|token| Rc::new(token.unaccented())).collect(),
        ..plain
    })
}

/// A spelling without umlauts and rings, as it is written where the keyboard has none: `Voehringer`
/// for `Vöhringer`; `None` if it has none.
pub(super) fn spelled_out_key(key: &Key) -> Option<Key> {
    if key.joined.is_ascii() || !key.joined.contains(['ä', 'ö', 'ü', 'ø', 'å']) {
        return None;
    }
    let plain = |text: &str| {
        let text = text.replace('ä', "ae").replace(['ö', 'ø'], "oe");
        text.replace('ü', "ue").replace('å', "aa")
    };
    Some(rewritten(key, plain))
}

/// A spelling in other letters, without inflected forms. They may take more or fewer bytes, so the
/// places of its splits move.
fn rewritten(key: &Key, write: impl Fn(&str) -> String) -> Key {
    let moved = |at: &usize| write(&key.joined[..*at]).len();
    let splits = key.splits.as_ref();
    Key {
        splits: splits.map(|splits| splits.iter().map(moved).collect()),
        joined: write(&key.joined),
        tokens: Vec::new(),
        ..key.clone()
    }
}
