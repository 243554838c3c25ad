//! Compares names in different scripts by their consonants: `Romashka` and `Ромашке`.
//!
//! Vowels differ too much, and so do voiced consonants, `l` and `r`, `b`, `v` and `w`.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use super::{script::Script, vocabulary::lines};

/// In classes: labials `P`, dentals `T`, velars `K`, sibilants `S`, liquids `R`, nasals `M` and
/// `N`, and `C` for a velar or a sibilant.
pub(super) fn consonants(lower: &str) -> String {
    let mut out = String::new();
    let mut last = None;
    let mut chars = lower.chars().peekable();
    while let Some(c) = chars.next() {
        let next = chars.peek().copied();
        let mut add = |class: char| {
            if last != Some(class) {
                out.push(class);
            }
            last = Some(class);
        };
        if Script::of(c) == Script::Hangul {
            let classes = hangul(c).into_iter().flatten();
            out.extend(classes.filter(|class| *class != '-'));
            continue;
        }
        match class(c) {
            Some('T') if c == 't' && matches!(next, Some('s' | 'z')) => {}
            Some('X') => {
                add('K');
                add('S');
            }
            Some(class) if class.is_ascii_uppercase() => add(class),
            // An h belongs to the consonant before it.
            _ if c == 'h' => {}
            _ => last = None,
        }
    }
    out
}

pub(super) fn vowels(lower: &str) -> String {
    let class = |c: char| class(c).filter(char::is_ascii_lowercase);
    lower.chars().filter_map(class).collect()
}

pub(super) fn sound_alike(one: &str, other: &str) -> bool {
    let alike =
        |(a, b): (char, char)| a == b || matches!((a, b), ('C', 'K' | 'S') | ('K' | 'S', 'C'));
    one.len() == other.len() && one.chars().zip(other.chars()).all(alike)
}

/// Consonants in upper case, `X` for a velar with a sibilant, vowels in lower case.
static CLASSES: LazyLock<FxHashMap<char, char>> = LazyLock::new(|| {
    let classes = lines(include_str!("tables/sounds.txt"));
    let classes = classes.filter_map(|(class, letters)| Some((class.chars().next()?, letters)));
    let pairs = classes.flat_map(|(class, letters)| letters.chars().map(move |c| (c, class)));
    pairs.collect()
});

fn class(c: char) -> Option<char> {
    CLASSES.get(&c).copied()
}

/// The first and the last consonant of a syllable; `-` is none.
fn hangul(c: char) -> Option<[char; 2]> {
    const FIRST: &[u8; 19] = b"KKNTTRMPPSS-SSSKTP-";
    const LAST: &[u8; 28] = b"-KKKNNNTRRRRRRRRMPPSSNSSKTP-";
    let code = u32::from(c)
        .checked_sub(0xac00)
        .filter(|code| *code < 11_172)?;
    let first = *FIRST.get(usize::try_from(code / 588).ok()?)?;
    let last = *LAST.get(usize::try_from(code % 28).ok()?)?;
    Some([char::from(first), char::from(last)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_in_other_scripts_sound_alike() {
        for (one, other) in [
            ("romashka", "ромашке"),
            ("mercari", "メルカリ"),
            ("nexoria", "ネクソリア"),
            ("veltria", "벨트리아"),
            ("gefenix", "גפניקס"),
            ("talora", "تالورا"),
            ("stachys", "στάχυς"),
            ("severny", "северный"),
            ("nitzan", "ניצן"),
        ] {
            let (a, b) = (consonants(one), consonants(other));
            assert!(sound_alike(&a, &b), "{one} {a}, {other} {b}");
        }
        assert!(!sound_alike(
            &consonants("romashka"),
            &consonants("рубашка")
        ));
    }
}
