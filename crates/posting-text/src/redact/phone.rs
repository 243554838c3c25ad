use crate::{
    Budget, Range, Result,
    pattern::patterns,
    redact::{
        cues::{self, Cues},
        id::has_form,
        script::{Ascii, is_unspaced},
        vocabulary::List,
        words::{is_digits, last_word},
    },
};

const GAP: &str = r"(?:[ \u{a0}.‐‑–/-]|[ ]?\(|\)[ ]?){0,2}";

static POSTAL: List = List::new("cp c p cep plz zip cap");

patterns! {
    /// A sign between two digits may have spaces around it.
    NUMBER = r"(?:[+(]{1,2} ?)?[0-9](?:(?:[ \u{a0}]?\( ?|(?: ?\))?[ \u{a0}]{0,2}[.‐‑–—/•·-]{0,2}[ \u{a0}]?)[0-9]){4,20}";
    INTERNATIONAL = format!(r"\+[0-9](?:{GAP}[0-9])*");
    /// May also separate two numbers.
    SPACED = r"[ \u{a0}]+[.‐‑–—/•·-]+[ \u{a0}]*|[‐‑–—/•·-][ \u{a0}]+";
    /// Within a firm, after its number: `ext. 4`, `, poste 318`.
    EXTENSION = crate::pattern::one_of(include_str!("tables/phone_extensions.txt"));
    DATE = concat!(
        r"^\(?(?:(?:\d{1,2}[./-]\d{1,2}[./-](?:19|20)?\d{2}|(?:19|20)\d{2}[./-]?[01]\d[./-]?[0-3]\d)(?:[ –-]{1,3}|$)){1,2}\)?$",
        r"|^(?:19|20)\d{2} ?[–/-] ?(?:19|20)?\d{2}$",
        r"|^\d{1,2}[.:]\d{2} ?[–-] ?\d{1,2}(?:[.:]\d{2})?$|^[012]\d[0-5]\d ?[–-] ?[012]\d[0-5]\d$",
    );
    LOCAL = crate::pattern::one_of(include_str!("tables/phone_forms.txt"));
}

/// Finds certain telephone numbers: a `+` directly followed by a digit, 8 to 15 digits, and at most
/// two separators between two digits: spaces, full stops, hyphens, dashes, slashes, or parentheses
/// with a space on the outer side.
///
/// Excluded: a letter, a digit or `_-,=` directly before it; a letter, a digit, `_`, `%`, or a
/// continuing hyphen, full stop or comma directly after it; a currency sign, `~` or `<` before it;
/// a sign or word of an amount after it; and round numbers such as `+10 000 000`.
pub(crate) fn certain(text: &str) -> impl Iterator<Item = Range> {
    INTERNATIONAL.find_iter(text).filter_map(|found| {
        let number = found.as_str();
        let digits = number.bytes().filter(u8::is_ascii_digit).count();
        if !(8..=15).contains(&digits) || is_round(&number[1..]) {
            return None;
        }
        let (before, after) = (&text[..found.start()], &text[found.end()..]);
        let is_other =
            is_attached(before, after, char::is_alphanumeric) || is_counted(before, after);
        (!is_other).then(|| found.range())
    })
}

/// Finds numbers with evidence: a plus, a word such as "phone", or a format of telephone numbers.
/// Salaries, dates, hours, postal codes and references look much the same.
pub(crate) fn phones(text: &str, budget: &Budget) -> Result<Vec<Range>> {
    budget.spend(text.len())?;
    let Some(ascii) = Ascii::of(text) else {
        return in_ascii(text, budget);
    };
    budget.spend(text.len())?;
    let found = in_ascii(&ascii.text, budget)?.into_iter();
    Ok(found
        .map(|range| ascii.original(range.start)..ascii.original(range.end))
        .collect())
}

fn in_ascii(text: &str, budget: &Budget) -> Result<Vec<Range>> {
    const SEARCH_STEPS: usize = 200;
    /// Of a number that ends a sentence; a shorter one goes on: "081/ 40 .17. 66".
    const MIN_DIGITS: usize = 8;
    /// The steps for each possible end.
    const WINDOW_STEPS: usize = 80;
    let mut out: Vec<Range> = Vec::new();
    budget.spend(text.len().saturating_mul(2))?;
    let mut from = 0;
    while let Some(found) = NUMBER.find_at(text, from) {
        let gap = out.last().map(|last| &text[last.end..found.start()]);
        let before = &text[..found.start()];
        let whole = found.as_str();
        // "06 55 50 12 44. 4, place Viarme": a sentence may end within, and another number begin.
        let is_sentence = |end: &usize| {
            let digits = whole[..*end].bytes().filter(u8::is_ascii_digit);
            !whole[..*end].ends_with(' ') && digits.count() >= MIN_DIGITS
        };
        let sentence = whole.find(". ").filter(is_sentence);
        let mut cuts: Vec<usize> = SPACED.find_iter(whole).map(|sign| sign.start()).collect();
        let next = SPACED.find(whole).map(|sign| sign.end());
        let next = next.into_iter().chain(sentence.map(|end| end + 2)).min();
        cuts.push(whole.len());
        cuts.reverse();
        budget.spend(SEARCH_STEPS + whole.len() + cuts.len() * WINDOW_STEPS)?;
        let phone = sentence.into_iter().chain(cuts).find(|end| {
            let after = &text[found.start() + end..];
            is_phone(before, &whole[..*end], after, gap)
        });
        from = found.start() + phone.or(next).unwrap_or(whole.len());
        out.extend(phone.map(|length| {
            let end = found.start() + length;
            let is_enclosed = opens_before(&whole[..length], &text[end..]);
            let extension = EXTENSION.find(&text[end..]).map_or(0, |found| found.end());
            found.start() + usize::from(is_enclosed)..end + extension
        }));
        from = from.max(out.last().map_or(0, |phone| phone.end));
    }
    Ok(out)
}

/// `(040 / 12 34)`, `(040 12 34, mornings)`
fn opens_before(number: &str, after: &str) -> bool {
    let is_closed = number.matches('(').count() <= number.matches(')').count();
    number.starts_with('(') && !is_closed && after.starts_with([')', ',', ';'])
}

/// `gap` is the text between the previous telephone number and this one.
fn is_phone(before: &str, number: &str, after: &str, gap: Option<&str>) -> bool {
    let is_enclosed = number.len() > 1 && opens_before(number, after);
    let inner = usize::from(is_enclosed);
    let (number, after) = (&number[inner..], &after[inner..]);
    let digits: Vec<u8> = number.bytes().filter(u8::is_ascii_digit).collect();
    let previous = before.chars().next_back();
    // Scripts without spaces write a number beside a word: "電話090-5501-3131まで".
    let is_dashed = (number.starts_with(['0', '+']) && number.contains('-'))
        || (previous.is_some_and(is_unspaced) && is_announced(before));
    let joins = |c: char| c.is_alphanumeric() && !(is_dashed && is_unspaced(c));
    // "联系人,0571-5555 0120", but not "1,234".
    let name = before
        .strip_suffix(',')
        .filter(|it| it.ends_with(is_unspaced));
    let beside = if is_enclosed {
        ""
    } else {
        name.unwrap_or(before)
    };
    if is_attached(beside, after, joins) || is_counted(before, after) || DATE.is_match(number) {
        return false;
    }
    let is_next = |gap: &str| gap.len() <= 8 && !gap.contains(|c: char| c.is_ascii_digit());
    // "P.I. Norte, 41013 Sevilla", "C.P. 76215"
    let label = last_word(before.trim_end_matches([' ', ':', '.'])).to_lowercase();
    let is_placed = after.trim_start().starts_with(char::is_uppercase) && before.ends_with(", ");
    let is_code = has_form(number, "00000") && is_placed
        || POSTAL.has(&label) && ["00000", "00000-000"].iter().any(|it| has_form(number, it));
    if !is_code && (gap.is_some_and(is_next) || is_announced(before)) {
        let last = number.rsplit(['/', '–', '•', '·']).next().unwrap_or(number);
        // "0341 123456 / 8", before a word for the hour.
        let is_whole = last == number || last.trim().len() > 1;
        return (5..=15).contains(&digits.len()) && is_whole;
    }
    let joined = SPACED.replace_all(
        number,
        |sign: &regex::Captures<'_>| {
            if sign[0].contains('/') { "/" } else { "-" }
        },
    );
    // Hours and days have two digits in each group.
    let groups = || {
        number
            .split(|c: char| !c.is_ascii_digit())
            .filter(|group| !group.is_empty())
    };
    let has_zero = number.starts_with(['0', '+', '(']);
    let is_small = |group: &str| group.len() <= 2 && group.parse().is_ok_and(|it: u8| it <= 31);
    let is_amount = |piece: &str| {
        let groups: Vec<&str> = piece.trim().split([' ', '\u{a0}', '.']).collect();
        groups.len() > 1 && groups[1..].iter().all(|group| group.len() == 3)
    };
    let is_other = if has_zero {
        groups().all(is_small)
    } else {
        groups().all(|group| group.len() <= 2) || SPACED.split(number).any(is_amount)
    };
    if joined.len() < number.len() && is_other {
        return false;
    }
    let is_range = (number.contains(['–', '—']) || number.contains(" - ")) && groups().count() < 4;
    let number = if is_range && !has_zero {
        number
    } else {
        &*joined
    };
    if !number.starts_with(['(', '+']) && is_reference(before) {
        return false;
    }
    has_phone_form(number, &digits)
        || is_after_name(number, before, is_enclosed)
        || is_beside_contact(before, number, after)
}

/// In groups as people write telephone numbers. Amounts have groups of three digits.
fn is_dialled(number: &str) -> bool {
    let groups = number.split([' ', '\u{a0}', '-', '/', '–', '•', '·']);
    let groups: Vec<&str> = groups.filter(|group| !group.is_empty()).collect();
    let digits: usize = groups.iter().map(|group| group.len()).sum();
    let are_digits = |group: &&str| is_digits(group);
    let are_groups = (2..=6).contains(&groups.len())
        && groups.iter().all(are_digits)
        && groups.iter().skip(1).all(|group| {
            (2..=5).contains(&group.len()) || (groups.len() > 3 && (8..=11).contains(&digits))
        })
        && (1..=5).contains(&groups[0].len());
    let is_amount = !number.starts_with('0')
        && groups.iter().skip(1).all(|group| group.len() == 3)
        && (groups[0].len() == 1 || groups.len() == 2 || groups.last() == Some(&"000"));
    let is_year =
        |group: &&str| group.len() == 4 && (group.starts_with("19") || group.starts_with("20"));
    // "1998 – 2006", and the number of a law: "145/2011".
    let is_law = number.contains('/') && !number.starts_with('0');
    let are_years = groups.len() == 2 && is_year(&groups[1]) && (is_law || is_year(&groups[0]));
    are_groups && (7..=12).contains(&digits) && !is_amount && !are_years
}

/// `Renata Hušková, 321 555 018`, `Liga para Graciete: 289 550 148`
fn is_after_name(number: &str, before: &str, is_enclosed: bool) -> bool {
    const BETWEEN: [&str; 4] = [", ", ": ", " – ", " - "];
    let front = BETWEEN.iter().find_map(|sign| before.strip_suffix(sign));
    let front = front.or_else(|| before.strip_suffix(' ').filter(|_| is_enclosed));
    let word = front.and_then(|before| before.rsplit([' ', '\n', '\u{a0}']).next());
    let is_name = word.is_some_and(|word| {
        word.starts_with(char::is_uppercase)
            && word.chars().nth(2).is_some()
            && word.chars().all(char::is_alphabetic)
    });
    is_name && is_dialled(number)
}

/// On a line with an at sign or a word for asking, or on a line of its own.
fn is_beside_contact(before: &str, number: &str, after: &str) -> bool {
    const WINDOW_BYTES: usize = 80;
    if !is_dialled(number) {
        return false;
    }
    let end = after.floor_char_boundary(WINDOW_BYTES);
    let before = tail(before, WINDOW_BYTES);
    let before = before.rsplit('\n').next().unwrap_or_default();
    let after = after[..end].split('\n').next().unwrap_or_default();
    let is_alone = (11..=13).contains(&number.len()) && before.is_empty() && after.is_empty();
    let asks =
        |word: &str| cues::are_of(&word.to_lowercase(), Cues::PERSON | Cues::TITLE | Cues::AT);
    let words = |text: &str| {
        text.split(|c: char| !c.is_alphanumeric())
            .any(|word| word.chars().nth(2).is_some() && asks(word))
    };
    is_alone || before.contains('@') || after.contains('@') || words(before)
}

/// A word or sign for a telephone is before the number, with few words between.
fn is_announced(before: &str) -> bool {
    const MAX_GAP_CHARACTERS: usize = 32;
    static STEMS: List = List::new(include_str!("tables/phone_stems.txt"));
    static SIGNS: List = List::new("☎ 📞 ✆ 📱 電話 携帯 电话 手机 手機 热线 致电 전화 휴대폰 โทร");
    let window = tail(before, 64);
    let start = window
        .rfind(|c: char| c.is_ascii_digit() || c == '\n')
        .map_or(0, |last| last + 1);
    let window = &window[start..];
    let mut end = window.len();
    let near = |end: usize| window[end..].chars().count() <= MAX_GAP_CHARACTERS;
    for word in window.rsplit(|c: char| !c.is_alphanumeric()) {
        if !near(end) {
            break;
        }
        // `[phone]` is the token of another number, already hidden. It does not announce this one.
        let is_token = word == "phone" && window[end..].starts_with(']');
        let lower = word.to_lowercase();
        let is_cue = cues::are_of(&lower, Cues::PHONE) || STEMS.begins(&lower);
        if !word.is_empty() && !is_token && is_cue {
            return true;
        }
        end = end.saturating_sub(word.len());
        let sign = window[..end].chars().next_back().map_or(0, char::len_utf8);
        end -= sign;
    }
    let is_sign = |sign: &str| window.rfind(sign).is_some_and(|at| near(at + sign.len()));
    !window.is_ascii() && SIGNS.words().any(is_sign)
}

fn is_reference(before: &str) -> bool {
    static WORDS: List = List::new(include_str!("tables/references.txt"));
    const SIGNS: [char; 8] = [' ', '\u{a0}', '\n', '.', ':', '#', '°', '-'];
    let word = last_word(tail(before, 32).trim_end_matches(SIGNS));
    WORDS.has(&word.to_lowercase())
}

fn tail(text: &str, bytes: usize) -> &str {
    &text[text.ceil_char_boundary(text.len().saturating_sub(bytes))..]
}

fn is_attached(before: &str, after: &str, joins: impl Fn(char) -> bool) -> bool {
    let goes_on = after.strip_prefix(['-', '.', ',']);
    // "06 96 555 218-as": an ending.
    let is_ending = after.starts_with('-') && after[1..].starts_with(char::is_lowercase);
    let goes_on = goes_on.filter(|rest| !is_ending && !rest.starts_with(is_unspaced));
    before.ends_with(|c| joins(c) || matches!(c, '_' | '-' | ',' | '='))
        || after.starts_with(|c| joins(c) || matches!(c, '_' | '%'))
        || goes_on.is_some_and(|rest| rest.starts_with(char::is_alphanumeric))
}

fn is_counted(before: &str, after: &str) -> bool {
    static UNITS: List = List::new(include_str!("tables/amounts.txt"));
    let after = after.strip_prefix(char::is_whitespace).unwrap_or(after);
    let word = after.split(|c: char| !c.is_alphanumeric()).next();
    before
        .trim_end()
        .ends_with(['$', '€', '£', '¥', '₹', '~', '<'])
        || after.starts_with(['$', '€', '£', '¥', '₹', '%'])
        || UNITS.has(&word.unwrap_or_default().to_lowercase())
}

/// `10 000 000`, and `20 000-30 000`
fn is_round(number: &str) -> bool {
    let groups = || number.split(|c: char| !c.is_ascii_digit());
    groups().all(|group| group.len() <= 3) && groups().next_back() == Some("000")
}

/// `+10 000 000`
fn is_of_thousands(number: &str) -> bool {
    let mut groups = number.trim_start_matches('+').split([' ', '.']);
    groups.next().is_some_and(|first| first.len() <= 3)
        && groups.next_back() == Some("000")
        && groups.all(|group| group == "000")
}

fn has_phone_form(number: &str, digits: &[u8]) -> bool {
    let number: String = number
        .chars()
        .map(|c| match c {
            '\u{a0}' => ' ',
            '‐' | '‑' | '•' | '·' => '-',
            c => c,
        })
        .collect::<String>()
        .replace("( ", "(")
        .replace(" )", ")");
    let international = number.trim_start_matches('(').starts_with('+')
        || (digits.starts_with(b"00") && digits.len() >= 10);
    if international {
        return (8..=16).contains(&digits.len()) && !is_of_thousands(&number);
    }
    // A dash is that of a range, unless it is within a number with an area code.
    let dashed = number.contains(['–', '—']) || number.contains(" - ");
    let enough = (8..=13).contains(&digits.len());
    // Eight digits after a trunk zero are too few, but not in the Nordic form.
    let plausible = digits.first() != Some(&b'0')
        || digits.len() >= 9
        || number.matches(['-', ' ', '.', '/']).count() == 1;
    enough && plausible && !dashed && LOCAL.is_match(&number)
}
