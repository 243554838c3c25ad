//! Addresses in Chinese, Japanese and Korean, from the largest part to the smallest.

use super::{Word, word_before};
use crate::{
    Range,
    redact::{script::Script, vocabulary::List},
};

/// A street begins after the end of a district.
const DISTRICTS: [char; 4] = ['市', '縣', '州', '省'];
static STREETS: List = List::new("路 街 道 巷 弄 胡同 里 通 丁目 条 下ル 上ル 入ル 号");
static UNITS: List =
    List::new("号楼 号院 号 號 楼 樓 栋 幢 座 单元 室 层 層 階 丁目 番地 番 弄 巷 房 之 门");
/// Ends of building names, before the number of a floor or room.
static BUILDINGS: List = List::new("大厦 大廈 大楼 大樓 广场 中心 园 园区 城 村 ビル タワー 会館");
const MAX_NUMBERS: usize = 6;

pub(super) fn address(text: &str, words: &[Word<'_>], at: usize) -> Option<Range> {
    let number = &words[at];
    let street = word_before(words, at)?;
    let gap = &text[street.end()..number.start];
    let script = Script::of_text(street.text);
    if script == Script::Hangul && gap == " " {
        return korean(text, words, at, street);
    }
    if !gap.is_empty() || !matches!(script, Script::Han | Script::Kana) {
        return None;
    }
    let end = end(text, words, at);
    // "北路甲26号": a number beside another one.
    let name = street.text.trim_end_matches(['甲', '乙', '丙']);
    let is_street = STREETS.ends(name);
    let is_place = street.text.contains(DISTRICTS)
        || street
            .text
            .contains(['区', '區', '郡', '町', '村', '都', '府', '県']);
    let after = &text[number.end()..];
    let is_block = after.starts_with("丁目")
        || after.starts_with("番")
        || (after.starts_with('-') && is_place);
    if !(is_block || (is_street && end > number.end())) {
        return None;
    }
    let district = street
        .text
        .char_indices()
        // "鄞州区": a city's name may end so, too.
        .filter(|(at, c)| {
            let rest = &street.text[at + c.len_utf8()..];
            DISTRICTS.contains(c) && !rest.is_empty() && !rest.starts_with(['区', '區', '市'])
        })
        .map(|(at, c)| at + c.len_utf8())
        .next_back()
        .unwrap_or(0);
    Some(street.start + district..end)
}

fn end(text: &str, words: &[Word<'_>], at: usize) -> usize {
    let mut end = words[at].end();
    let mut next = at + 1;
    for _ in 0..MAX_NUMBERS {
        // "502号室"
        let unit = |end: usize| UNITS.words().find(|unit| text[end..].starts_with(unit));
        for _ in 0..2 {
            end += unit(end).map_or(0, str::len);
        }
        while words.get(next).is_some_and(|word| word.start < end) {
            next += 1;
        }
        let Some(word) = words.get(next) else { break };
        let is_number = word.is_number() && word.text.len() <= 5;
        // "26号博瑞大厦8层"
        let word = words.get(next + 1).filter(|_| !is_number).unwrap_or(word);
        let is_number = word.is_number() && word.text.len() <= 5;
        let between = &text[end..word.start];
        if is_number && BUILDINGS.ends(between) {
            end = word.start;
        }
        if !is_number || !matches!(&text[end..word.start], "" | "-" | "−" | " " | "－") {
            break;
        }
        end = word.end();
        next += 1;
    }
    end
}

/// A street that ends in `로` or `길`, a number, and a floor.
fn korean(text: &str, words: &[Word<'_>], at: usize, street: &Word<'_>) -> Option<Range> {
    // "테헤란로77길 14", "가산디지털2로 184"
    let front = street
        .is_letter()
        .then(|| words.get(at.checked_sub(3)?..at - 1))
        .flatten();
    let front = front.filter(|front| {
        front[1].is_number() && front[0].end() == front[1].start && front[1].end() == street.start
    });
    let index = if front.is_some() { at - 3 } else { at - 1 };
    let is_street = street.text.ends_with(['로', '길']) && (front.is_some() || !street.is_letter());
    // A particle has the same ending: "2 층으로 3".
    if !is_street || street.text.ends_with("으로") {
        return None;
    }
    let mut end = words[at].end();
    let mut next = at + 1;
    for _ in 0..MAX_NUMBERS {
        let Some(word) = words.get(next) else { break };
        let gap = &text[end..word.start];
        let is_unit = matches!(word.text, "층" | "호" | "동" | "번길" | "길");
        let is_number = word.is_number() && matches!(gap, "-" | ", " | " ");
        let unit = words
            .get(next + 1)
            .is_some_and(|unit| unit.text.starts_with(['층', '호', '동']));
        // "518번길 22"
        let after_lane = is_number && gap == " " && words[next - 1].text.ends_with('길');
        // A particle may follow: "3층에".
        if gap.is_empty() && !is_unit && word.text.starts_with(['층', '호', '동']) {
            end = word.start + word.text.chars().next().map_or(0, char::len_utf8);
            break;
        }
        if (is_unit && gap.is_empty()) || (is_number && (gap == "-" || unit)) || after_lane {
            (end, next) = (word.end(), next + 1);
        } else {
            break;
        }
    }
    // "서울특별시 금천구 가산디지털2로": a district of the city.
    let district = word_before(words, index).filter(|district| {
        district.letters() >= 2
            && district.text.ends_with(['구', '군', '읍', '면', '동'])
            && district.end() + 1 == words[index].start
    });
    let start = district.map_or(words[index].start, |district| district.start);
    let counted = text[end..].starts_with(['명', '개', '년', '월', '일', '시', '원', '만']);
    (!counted).then_some(start..end)
}
