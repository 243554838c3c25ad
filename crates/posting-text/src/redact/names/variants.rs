//! Spellings of a name on keyboards that lack some of its letters.

use super::{Key, Rc, unaccented};

/// A spelling without accents; `None` if it has none.
pub(super) fn unaccented_key(key: &Key) -> Option<Key> {
    if key.joined.is_ascii() {
        return None;
    }
    // Accents take bytes, so the split positions move.
    let plain = |end: usize| unaccented(&key.joined[..end]);
    let joined = plain(key.joined.len());
    let splits = key.splits.as_ref();
    (joined != key.joined).then(|| Key {
        splits: splits.map(|splits| splits.iter().map(|at| plain(*at).len()).collect()),
        joined,
        accents_count: false,
        tokens: key
            .tokens
            .iter()
            .map(|token| Rc::new(token.unaccented()))
            .collect(),
        ..key.clone()
    })
}

/// A spelling without umlauts and rings, as it is written where the keyboard has none: `Voehringer`
/// for `Vöhringer`; `None` if it has none.
pub(super) fn spelled_out_key(key: &Key) -> Option<Key> {
    if key.joined.is_ascii() || !key.joined.contains(['ä', 'ö', 'ü', 'ø', 'å']) {
        return None;
    }
    let plain = |end: usize| -> String {
        let mut out = String::new();
        for c in key.joined[..end].chars() {
            match c {
                'ä' => out.push_str("ae"),
                'ö' | 'ø' => out.push_str("oe"),
                'ü' => out.push_str("ue"),
                'å' => out.push_str("aa"),
                c => out.push(c),
            }
        }
        out
    };
    Some(Key {
        splits: key
            .splits
            .as_ref()
            .map(|splits| splits.iter().map(|at| plain(*at).len()).collect()),
        joined: plain(key.joined.len()),
        tokens: Vec::new(),
        ..key.clone()
    })
}
