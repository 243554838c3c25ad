use std::{cmp::Reverse, sync::LazyLock};

use super::{
    script::{Script, is_unspaced},
    vocabulary::{List, lines},
};
use crate::Range;

static LEGAL: LazyLock<Vec<&str>> = LazyLock::new(|| parts("legal"));
static TRADES: LazyLock<Vec<&str>> = LazyLock::new(|| parts("trade"));
static PLACES: LazyLock<Vec<&str>> = LazyLock::new(|| parts("place"));

fn parts(heading: &str) -> Vec<&'static str> {
    let lines = lines(include_str!("tables/cjk.txt")).filter(|(of, _)| *of == heading);
    let words = lines.flat_map(|(_, words)| words.split_ascii_whitespace());
    let mut words: Vec<_> = words.collect();
    words.sort_by_key(|word| Reverse(word.len()));
    words
}

const MIN_LENGTH: usize = 2;

/// Between the parts of a name.
const fn is_between(c: char) -> bool {
    c.is_whitespace() || matches!(c, '・' | '·' | '-' | ',' | '，')
}

/// The name without legal forms, a leading place (such as the posting's city) and trades.
pub(super) fn spellings(name: &str, city: Option<&str>, is_japanese: bool) -> Vec<String> {
    let base = without_legal_forms(name);
    let mut out = Vec::new();
    push(&mut out, base);
    // "医療法人 青空会 みどりクリニック": each by itself, if it is more than a trade.
    for part in base.split_whitespace().filter(|part| *part != base) {
        let rest = without_legal_forms(part);
        if rest.chars().count() >= 3 && is_proper(rest, is_japanese) {
            // Each has its own trade, too.
            for spelling in spellings(rest, city, is_japanese) {
                if spelling.chars().count() >= 3 {
                    push(&mut out, &spelling);
                }
            }
        }
    }
    // "深圳市博泰" is also "深圳博泰".
    let short = base.chars().nth(2).filter(|c| matches!(c, '市' | '省'));
    if let Some(sign) = short {
        push(&mut out, &base.replacen(sign, "", 1));
    }
    let core = city
        .filter(|city| !city.is_empty())
        .and_then(|city| base.strip_prefix(city))
        .map(|rest| rest.strip_prefix(['市', '省', '県', '府']).unwrap_or(rest))
        .or_else(|| {
            let mut places = PLACES.iter();
            places.find_map(|place| base.strip_prefix(place))
        })
        .filter(|rest| rest.chars().count() >= MIN_LENGTH && !TRADES.contains(rest))
        .unwrap_or(base);
    let place = &base[..base.len() - core.len()];
    push(&mut out, core);
    // "ミルカーレ東海" is also "ミルカーレ".
    let before_place = PLACES.iter().find_map(|place| core.strip_suffix(place));
    if let Some(rest) = before_place.filter(|rest| rest.chars().count() >= 3) {
        push(&mut out, rest);
    }
    let mut front = core.trim();
    // "カフェ青空": a trade may precede the name.
    let after_trade = TRADES
        .iter()
        .filter(|trade| trade.chars().count() >= MIN_LENGTH)
        .find_map(|trade| front.strip_prefix(trade));
    if let Some(rest) = after_trade.map(str::trim)
        && is_proper(rest, is_japanese)
        && rest.chars().count() >= 3
        && !TRADES.iter().any(|trade| rest.ends_with(trade))
    {
        push(&mut out, rest);
    }
    while let Some(rest) = TRADES
        .iter()
        .rev()
        .find_map(|trade| front.strip_suffix(trade))
        .map(|rest| rest.trim_matches(is_between))
        .filter(|rest| is_proper(rest, is_japanese))
    {
        push(&mut out, rest);
        if !place.is_empty() {
            out.push(format!("{place}{rest}"));
            if place.ends_with(['市', '省']) {
                out.push(format!("{}{rest}", place.trim_end_matches(['市', '省'])));
            }
        }
        front = rest;
    }
    out
}

/// Returns the short form that a text uses: the first ideographs of a name where only a name can
/// be, or its first syllables before a Korean particle.
pub(super) fn short_form(name: &str, text: &str, is_japanese: bool) -> Option<String> {
    const BEFORE: &str = "在来入于与和选到进由為，。、「“\n ：；！（";
    static AFTER: List = List::new("은 는 이 가 을 를 에 의 와 과 로 도 에서 에게 으로");
    let base = without_legal_forms(name);
    let script = Script::of_text(base);
    if is_japanese {
        return japanese_pair(base, text);
    }
    let letters = base.chars().count();
    let (least, most) = match script {
        Script::Han if letters >= 4 => (2, if letters == 4 { 2 } else { 3 }),
        Script::Hangul if letters >= 5 => (3, letters - 2),
        _ => return None,
    };
    (least..=most).rev().find_map(|length| {
        let end = base.char_indices().nth(length)?.0;
        let (front, rest) = base.split_at(end);
        let is_name_at = |at: usize| {
            let (before, after) = (&text[..at], &text[at + front.len()..]);
            if script == Script::Hangul {
                let is_start = !before.ends_with(|c| Script::of(c) == Script::Hangul);
                let run = after.find(|c| Script::of(c) != Script::Hangul);
                let tail = &after[..run.unwrap_or(after.len())];
                return is_start && AFTER.has(tail);
            }
            let next = rest.chars().next();
            (before.is_empty() || before.ends_with(|c| BEFORE.contains(c)))
                && after.chars().next() != next
        };
        let known = TRADES.contains(&front) || PLACES.contains(&front);
        let is_used = !known && text.match_indices(front).any(|(at, _)| is_name_at(at));
        is_used.then(|| front.to_owned())
    })
}

/// The two ideographs of a Japanese name before its trade, if a particle follows. None count if two
/// ideographs before a title are a person.
fn japanese_pair(base: &str, text: &str) -> Option<String> {
    static PARTICLES: List = List::new("は が で の に を と へ も");
    static PERSONS: List = List::new("さん 様 氏 まで 宛");
    let after_trade = || TRADES.iter().find_map(|trade| base.strip_prefix(trade));
    let before_trade = TRADES.iter().find_map(|trade| base.strip_suffix(trade));
    let pair = before_trade.or_else(after_trade).unwrap_or(base).trim();
    let is_pair = pair.chars().count() == 2 && Script::of_text(pair) == Script::Han;
    if !is_pair || TRADES.contains(&pair) || PLACES.contains(&pair) {
        return None;
    }
    let mut is_used = false;
    for (at, _) in text.match_indices(pair) {
        let after = &text[at + pair.len()..];
        if PERSONS.begins(after) {
            return None;
        }
        let is_start = !text[..at].ends_with(|c| matches!(Script::of(c), Script::Han));
        is_used |= is_start && PARTICLES.begins(after);
    }
    is_used.then(|| pair.to_owned())
}

pub(super) fn without_legal_forms(name: &str) -> &str {
    let mut base = name.trim_matches(is_between);
    while let Some(rest) = LEGAL
        .iter()
        .find_map(|form| base.strip_prefix(form).or_else(|| base.strip_suffix(form)))
        .map(|rest| rest.trim_matches(is_between))
        .filter(|rest| rest.chars().count() >= MIN_LENGTH)
    {
        base = rest;
    }
    base
}

pub(super) fn with_legal_forms(text: &str, range: Range) -> Range {
    let Range { mut start, mut end } = range;
    while let Some(form) = LEGAL.iter().find(|form| text[end..].starts_with(*form)) {
        end += form.len();
    }
    loop {
        let before = text[..start].strip_suffix(' ').unwrap_or(&text[..start]);
        let form = LEGAL.iter().find(|form| before.ends_with(*form));
        let Some(form) = form else { break };
        start = before.len() - form.len();
    }
    start..end
}

fn push(out: &mut Vec<String>, name: &str) {
    let name = name.trim();
    if name.chars().count() >= MIN_LENGTH
        && name.contains(is_unspaced)
        && !TRADES.contains(&name)
        && !PLACES.contains(&name)
        && !out.iter().any(|known| known == name)
    {
        out.push(name.to_owned());
    }
}

/// Two ideographs of a Japanese name are rather a family or a place.
fn is_proper(rest: &str, is_japanese: bool) -> bool {
    let letters = rest.chars().count();
    let is_family = is_japanese && letters == 2 && Script::of_text(rest) == Script::Han;
    letters >= MIN_LENGTH && !is_family && !TRADES.contains(&rest) && !PLACES.contains(&rest)
}

/// Whether a name begins and ends at borders of words. Only short Korean names must.
pub(super) fn is_whole_word(text: &str, start: usize, end: usize) -> bool {
    static PARTICLES: List = List::new(
        "은 는 이 가 을 를 에 의 와 과 로 도 만 로서 에서 에게 으로 부터 까지 입니다 입니 이다 그룹 코리아 직원 본사 \
        이라 라는 이란 처럼 보다 하고 이나",
    );
    let name = &text[start..end];
    if name.chars().count() > 2 || Script::of_text(name) != Script::Hangul {
        return true;
    }
    let hangul = |c: char| Script::of(c) == Script::Hangul;
    let after: &str = &text[end..];
    !text[..start].ends_with(hangul) && (!after.starts_with(hangul) || PARTICLES.begins(after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_names() {
        for (name, expect) in [
            ("株式会社ミルカーレ", "ミルカーレ"),
            ("ミルカーレ（株）", "ミルカーレ"),
            ("東雲精密工業株式会社", "東雲精密工業 東雲精密"),
            (
                "上海明德科技有限公司",
                "上海明德科技 明德科技 明德 上海明德",
            ),
            ("鲁花源粮油集团", "鲁花源粮油 鲁花源"),
            ("(주)누리빛테크", "누리빛테크 누리빛"),
            ("주식회사 다온식품", "다온식품 다온"),
        ] {
            let found = spellings(name, None, name.contains("会社")).join(" ");
            assert_eq!(found, expect, "{name}");
        }
    }

    #[test]
    fn a_short_korean_name_is_a_word() {
        let found = |text: &str| {
            let at = text.find("다온").unwrap();
            is_whole_word(text, at, at + "다온".len())
        };
        assert!(found("다온과 함께") && found("저희 다온은") && !found("가다온다"));
    }
}
