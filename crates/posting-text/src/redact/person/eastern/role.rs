//! Japanese names after a role: `院長の児島 宗一郎`, `受付の百井まで`, `代表取締役 児島 宗一郎`. A thing of
//! the role has no given name, and no application goes to it.

use super::{List, Word};
use crate::{Range, redact::script::Script};

pub(super) static ROLES: List = List::new(include_str!("../../tables/eastern_roles.txt"));
pub(super) static OFFICES: List = List::new(include_str!("../../tables/eastern_offices.txt"));
/// After the addressee of an application.
pub(super) const TO: [&str; 2] = ["まで", "宛"];
/// Last signs of given names.
const LAST: &str = "郎子美太介輔也男夫雄彦平樹翔希香恵奈代江里華菜織穂乃之人斗一二三司志史哉吾馬悟明実誠学健剛進博浩隆茂勝";
/// Verbs of persons who receive applicants.
static ACTS: List = List::new(
    "ご案内 ご説明 お答え お待ち ご対応 対応 面接 マンツーマン 一緒 丁寧に 直接 お話 指導",
);
const MAX_HAN: usize = 6;

pub(super) fn of_role(text: &str, words: &[Word<'_>], at: usize) -> Option<Range> {
    let word = &words[at];
    let next = words.get(at + 1);
    let gap = next.map_or("", |next| &text[word.end()..next.start]);
    // "(総務部 江波)"
    if word.text.ends_with(['部', '課', '室']) && text[..word.start].ends_with(['(', '（']) {
        let name = next?;
        let is_last = text[name.end()..].starts_with([')', '）']);
        return (is_last && name.letters() <= 4).then(|| name.start..name.end());
    }
    if ROLES.ends(word.text) && (is_space(gap) || matches!(gap, "：" | ": ")) {
        return apart(text, words, at);
    }
    let given = next.filter(|it| is_space(gap) && it.is_unspaced());
    word.text.match_indices('の').find_map(|(no, sign)| {
        let front = &word.text[..no];
        let is_role = ROLES.ends(front) || front.ends_with(['部', '課', '室', '係', '科']);
        is_role.then_some(())?;
        let rest = &word.text[no + sign.len()..];
        joined(&text[word.end()..], rest, word.end() - rest.len(), given)
    })
}

/// A name in words of its own.
fn apart(text: &str, words: &[Word<'_>], at: usize) -> Option<Range> {
    let family = words.get(at + 1)?;
    let given = words.get(at + 2);
    let given = given.filter(|given| is_space(&text[family.end()..given.start]));
    let is_name =
        family.letters() <= 3 && family.text.chars().all(is_han) && !OFFICES.ends(family.text);
    if let Some(given) = given.filter(|it| is_name && it.letters() <= 4 && it.is_unspaced()) {
        return Some(family.start..given.end());
    }
    is_whole(family.text).then(|| family.start..family.end())
}

/// A name that begins `rest`, the end of a word, and perhaps continues in the next word.
fn joined(behind: &str, rest: &str, start: usize, given: Option<&Word<'_>>) -> Option<Range> {
    let family = &rest[..han(rest)];
    let is_family = |most| (1..=most).contains(&family.chars().count());
    if let Some(given) = given.filter(|_| family == rest && is_family(3)) {
        let given = given.start..given.start + han(given.text);
        return (!given.is_empty()).then_some(start..given.end);
    }
    let to = TO.iter().find_map(|to| rest.split_once(to));
    let is_kana = |name: &str| {
        let given = name.get(family.len()..).unwrap_or_default();
        given.chars().count() <= 4 && given.chars().all(|c| matches!(c, 'ぁ'..='ん'))
    };
    let is_addressed = |name: &&str| is_family(5) && !OFFICES.ends(name) && is_kana(name);
    if let Some(name) = to.map(|(name, _)| name).filter(is_addressed) {
        return Some(start..start + name.len());
    }
    let after = if family == rest {
        behind
    } else {
        &rest[family.len()..]
    };
    let is_end = is_family(3)
        && ["）", "さん", "様", "氏", "または", "もしくは"]
            .iter()
            .any(|end| after.starts_with(end));
    let acts = after
        .strip_prefix(['は', 'が'])
        .is_some_and(|verb| is_whole(family) || is_family(3) && ACTS.begins(verb));
    (is_end || acts).then(|| start..start + family.len())
}

fn is_space(gap: &str) -> bool {
    matches!(gap, " " | "\u{3000}")
}

fn is_han(c: char) -> bool {
    Script::of(c) == Script::Han
}

/// The bytes of the ideographs at the beginning.
fn han(text: &str) -> usize {
    let han = text.chars().take_while(|c| is_han(*c)).take(MAX_HAN);
    han.map(char::len_utf8).sum()
}

/// Whether a text has the length and the last sign of a family name with a given name.
fn is_whole(name: &str) -> bool {
    (3..=5).contains(&name.chars().count()) && name.ends_with(|c| LAST.contains(c))
}
