//! Names in another script: by their consonants, which spellings in all scripts keep.
//!
//! `Romashka` and `Ромашке`, `Mercari` and `メルカリ` have the same. Vowels differ too much, and so
//! do voiced and voiceless consonants, `l` and `r`, `b`, `v` and `w`.

use super::script::Script;

/// The consonants of a word, in classes: labials `P`, dentals `T`, velars `K`, sibilants `S`,
/// liquids `R`, nasals `M` and `N`, and `C` for what may be a velar or a sibilant.
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
            Some(class) => add(class),
            // An h belongs to the consonant before it.
            None if c == 'h' => {}
            None => last = None,
        }
    }
    out
}

/// The vowels of a word in a script that writes all of them, in five classes; empty in others.
pub(super) fn vowels(lower: &str) -> String {
    let class = |c: char| match c {
        'a' | 'á' | 'ä' | 'â' | 'ă' | 'à' | 'å' | 'ā' | 'а' | 'я' | 'α' | 'ά' => {
            Some('a')
        }
        'e' | 'é' | 'ě' | 'è' | 'ê' | 'ė' | 'ē' | 'е' | 'э' | 'ё' | 'є' | 'ε' | 'έ' => {
            Some('e')
        }
        'i' | 'y' | 'í' | 'ý' | 'ī' | 'и' | 'ы' | 'і' | 'ї' | 'η' | 'ή' | 'ι' | 'ί' | 'υ' | 'ύ' => {
            Some('i')
        }
        'o' | 'ó' | 'ö' | 'ő' | 'ô' | 'ø' | 'о' | 'ο' | 'ό' | 'ω' | 'ώ' => Some('o'),
        'u' | 'ú' | 'ü' | 'ű' | 'ů' | 'ū' | 'у' | 'ю' => Some('u'),
        _ => None,
    };
    lower.chars().filter_map(class).collect()
}

/// Whether two words have the same consonants.
pub(super) fn sound_alike(one: &str, other: &str) -> bool {
    let alike =
        |(a, b): (char, char)| a == b || matches!((a, b), ('C', 'K' | 'S') | ('K' | 'S', 'C'));
    one.len() == other.len() && one.chars().zip(other.chars()).all(alike)
}

/// The class of a consonant; `X` for a velar with a sibilant.
const fn class(c: char) -> Option<char> {
    Some(match c {
        // Each in Latin, Cyrillic, Greek, Hebrew and Arabic letters, in this order.
        'b' | 'p' | 'f' | 'v' | 'w' | 'б' | 'в' | 'п' | 'ф' | 'β' | 'π' | 'φ' | 'ב' | 'פ' | 'ף'
        | 'ب' | 'ف' | 'پ' => 'P',
        'd' | 't' | 'ď' | 'ť' | 'ð' | 'þ' | 'ț' | 'ţ' | 'д' | 'т' | 'δ' | 'θ' | 'τ' | 'ד' | 'ט'
        | 'ת' | 'ت' | 'ث' | 'د' | 'ض' | 'ط' => 'T',
        'g' | 'k' | 'q' | 'ğ' | 'ģ' | 'ķ' | 'г' | 'ґ' | 'к' | 'х' | 'γ' | 'κ' | 'χ' | 'ג' | 'כ'
        | 'ך' | 'ק' | 'خ' | 'غ' | 'ق' | 'ك' | 'گ' => 'K',
        's' | 'z' | 'š' | 'ś' | 'ş' | 'ș' | 'ž' | 'ź' | 'ż' | 'з' | 'с' | 'ж' | 'ш' | 'щ' | 'ц'
        | 'ζ' | 'σ' | 'ς' | 'ז' | 'ס' | 'צ' | 'ץ' | 'ש' | 'ذ' | 'ز' | 'س' | 'ش' | 'ص' | 'ظ' => {
            'S'
        }
        'c' | 'č' | 'ç' | 'ć' | 'ч' | 'ج' | 'چ' => 'C',
        'l' | 'r' | 'ł' | 'ř' | 'ľ' | 'ļ' | 'ĺ' | 'ŕ' | 'л' | 'р' | 'λ' | 'ρ' | 'ל' | 'ר' | 'ر'
        | 'ل' => 'R',
        'm' | 'м' | 'μ' | 'מ' | 'ם' | 'م' => 'M',
        'n' | 'ñ' | 'ń' | 'ň' | 'ņ' | 'н' | 'ν' | 'נ' | 'ן' | 'ن' => 'N',
        'x' | 'ξ' => 'X',
        _ => return kana(c),
    })
}

/// The consonant of a character of Katakana: that of its row.
const fn kana(c: char) -> Option<char> {
    Some(match c {
        'カ'..='ゴ' => 'K',
        'サ'..='ゾ' | 'チ' | 'ヂ' | 'ツ' | 'ヅ' => 'S',
        'タ' | 'ダ' | 'テ' | 'デ' | 'ト' | 'ド' => 'T',
        'ナ'..='ノ' | 'ン' => 'N',
        'バ' | 'パ' | 'ビ' | 'ピ' | 'フ' | 'ブ' | 'プ' | 'ベ' | 'ペ' | 'ボ' | 'ポ' | 'ヴ' => {
            'P'
        }
        'マ'..='モ' => 'M',
        'ラ'..='ロ' => 'R',
        _ => return None,
    })
}

/// The consonants of a syllable of Hangul: the first, and the one that ends it; `-` is none.
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
