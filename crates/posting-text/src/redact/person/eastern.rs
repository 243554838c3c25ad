mod role;

use self::role::{OFFICES, ROLES, TO, of_role};
use super::{Cues, Word, word_before};
use crate::{
    Range,
    redact::{script::Script, vocabulary::List},
};

static CUES: List = List::new(include_str!("../tables/eastern_cues.txt"));
/// The hundred most frequent ones (Ministry of Public Security, 2020).
const CHINESE: &str = "王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘于蒋蔡余杜叶程苏魏吕丁任沈姚卢姜崔钟谭陆汪范金石廖贾夏韦付方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严覃武戴莫孔向汤張劉陳楊黃趙吳孫馬鄺邝阮温鲍葛柳殷兰翁安倪耿梅盛裴霍洪游凌關关欧詹莊庄施柯賴赖郝蓝藍翟缪繆佟阮涂塗游紀纪尤苗簡简樊俞喻鲁魯戚褚卫衛沐岳齐齊康伍卜祝季舒屈席麻娄婁童颜顏骆駱霍虞支柯昝管卢盧解应應宗宣贲储儲靳邢焦车車侯宓蓬班仰秋仲伊宫宮宁寧仇栾欒厉厲祖符景詹束龙龍叶葉幸司韶黎薄印宿怀懷蒲从鄂索咸籍卓蔺藺屠蒙池乔喬阴胥苍闻聞党譚貢逄姬申扶堵冉宰郦酈雍桑桂濮牛寿壽边邊燕冀浦尚农農温別庄晏柴瞿阎閻充慕连連茹习艾鱼容古易慎戈廖庚终暨居衡步都耿满滿弘匡国國文寇广廣禄阙歐欧";
/// Statistics Korea, 2015.
const KOREAN: &str = "김이박최정강조윤장임한오서신권황안송류전홍고문양손배백허유남심노하곽성차주우구민진지엄채원천방공현함변염여추도소석선설마길연위표명기반왕금옥육인맹제모탁국";
static TITLES: List = List::new(include_str!("../tables/eastern_titles.txt"));

pub(super) fn may_announce(word: &Word<'_>) -> bool {
    word.is(Cues::PERSON)
        || (word.is_unspaced()
            && (word.text.contains('の')
                || word.text.ends_with(['部', '課', '室'])
                || ROLES.ends(word.text)
                || CHINESE_TITLES.ends(word.text)
                || TITLES.has(word.text)
                || is_korean(word)
                || CUES.words().any(|cue| word.text.contains(cue))))
}

fn is_japanese(cue: &str) -> bool {
    !cue.contains(['联', '聯', '絡', '络', '请', '請', '咨', '试', '责', '責'])
}

static DOUBLE: List = List::new(include_str!("../tables/double_families.txt"));

fn is_full_name(name: &str) -> bool {
    let letters = name.chars().count();
    let script = Script::of_text(name);
    let is_family = |c| match script {
        Script::Han => CHINESE.contains::<char>(c),
        Script::Hangul => letters == 3 && KOREAN.contains(c),
        _ => false,
    };
    ((2..=3).contains(&letters) && name.starts_with(is_family))
        || ((3..=4).contains(&letters) && DOUBLE.begins(name))
}

/// Alone in its clause, beside a contact: `，找诸葛明月。`, `064-555-0191, 선우보라.`, `早川ちひろまで：052 …`
pub(super) fn in_own_clause(
    text: &str,
    words: &[Word<'_>],
    at: usize,
    contact: &Range,
) -> Option<Range> {
    let word = &words[at];
    if !matches!(
        Script::of_text(word.text),
        Script::Han | Script::Kana | Script::Hangul
    ) {
        return None;
    }
    let bare = word
        .text
        .strip_prefix(['找', '请', '洽'])
        .unwrap_or(word.text);
    let start = word.end() - bare.len();
    let to = TO.iter().find_map(|to| bare.split_once(to));
    let name = to.map_or(bare, |(name, _)| name);
    let is_addressed = to.is_some()
        && (2..=6).contains(&name.chars().count())
        && !name.contains(['は', 'の', 'を', 'に', 'で'])
        && !OFFICES.ends(name);
    let title = TITLES.words().find_map(|title| name.strip_suffix(title));
    let is_name = is_addressed || is_full_name(name) || title.is_some_and(is_full_name);
    let after = text.get(contact.end..word.start);
    let before = text.get(word.end()..contact.start);
    let begins = word.start == 0 || text[..word.start].ends_with(['\n', '。', '.', '，', ',', ' ']);
    let ends = text[word.end()..].starts_with(['。', '.', '，', ',', '、', '\n', '（', '(']);
    let is_beside = (ends && after.is_some_and(|gap| matches!(gap, "，" | ", " | "、" | ",")))
        || (begins && before.is_some_and(|gap| matches!(gap, "，" | ", " | "、")))
        || (is_addressed && before.is_some_and(|gap| matches!(gap, "：" | ": " | " ")));
    // "栗本　節子宛に": a space separates the family name.
    let family = word_before(words, at)
        .filter(|it| is_addressed && matches!(&text[it.end()..word.start], " " | "\u{3000}"))
        .filter(|it| CUES.words().all(|cue| !it.text.ends_with(cue)));
    if let Some(family) = family {
        return Some(family.start..start + name.len());
    }
    (is_name && is_beside).then(|| start..start + name.len())
}

pub(super) fn person(text: &str, words: &[Word<'_>], at: usize) -> Option<Range> {
    let word = &words[at];
    if Script::of_text(word.text) == Script::Hangul {
        return korean(text, words, at);
    }
    let end = |cue: &'static str| Some((word.text.rfind(cue)? + cue.len(), cue));
    let found = titled(word, false).or_else(|| of_role(text, words, at));
    let Some((cue, announces)) = CUES.words().find_map(end).filter(|_| found.is_none()) else {
        return found;
    };
    let rest = word.text[cue..].trim_start_matches(['の', 'は', 'に']);
    let mut start = word.end() - rest.len();
    let mut next = at + 1;
    let mut name = rest;
    if rest.is_empty() {
        let following = words.get(next)?;
        (start, name) = (following.start, following.text);
        next += 1;
    }
    // "联系方式", "请联系店长汪雨桐": a Chinese name directly after the word begins with a family
    // name, or has a title.
    if rest.len() + cue == word.text.len() && !rest.is_empty() && !is_japanese(announces) {
        let after_role = CHINESE_TITLES
            .words()
            .find_map(|title| rest.split_once(title));
        let named = after_role.filter(|(_, name)| is_full_name(name));
        if let Some((_, name)) = named {
            return Some(word.end() - name.len()..word.end());
        }
        let is_titled = after_role.is_some_and(|(family, _)| family.chars().count() == 1);
        let is_family = rest.starts_with(|c| CHINESE.contains(c));
        if !is_titled && (!is_family || OFFICES.begins(rest)) {
            return None;
        }
    }
    // "お問い合わせ：採用担当 鈴木": what announces a person is none.
    if CUES.has(name) {
        return None;
    }
    // "お問い合わせ：事務長 小野寺": a role precedes the name.
    if let Some(after) = words.get(next)
        && rest.is_empty()
        && ["長", "係", "担当"].iter().any(|role| name.ends_with(role))
        && matches!(&text[start + name.len()..after.start], " " | "\u{3000}")
    {
        (start, name) = (after.start, after.text);
        next += 1;
    }
    let is_of_name = |c: &char| Script::of(*c) == Script::Han || matches!(c, 'ケ' | 'ヶ' | 'ノ');
    let length: usize = name
        .chars()
        .take_while(is_of_name)
        .map(char::len_utf8)
        .sum();
    let (front, after) = name.split_at(length);
    // A given name in Hiragana: "水野さゆり".
    let kana = after.chars().count();
    let is_kana = after.chars().all(|c| matches!(c, 'ぁ'..='ん'));
    if (1..=3).contains(&front.chars().count())
        && (2..=4).contains(&kana)
        && is_kana
        && !TITLES.begins(after)
    {
        return Some(start..start + name.len());
    }
    let letters = front.chars().count();
    let is_titled = TITLES.ends(front);
    let is_chinese = front.starts_with(|c| CHINESE.contains(c));
    // "张先生" with its title, "鈴木まで" without the particle, "李娜" at the end of the run.
    let end = if is_titled && (3..=5).contains(&letters) {
        start + length
    } else if let Some(title) = TITLES
        .words()
        .find(|title| is_chinese && front.contains(title))
    {
        start + front.find(title)? + title.len()
    } else if ((2..=4).contains(&letters)
        || ((5..=6).contains(&letters)
            && (is_before_number(text, start + length)
                || text[start + length..].starts_with(['。', '\n']))))
        && (after.is_empty()
            || TITLES.begins(after)
            || after.starts_with(['が', 'に', 'へ'])
            || after.starts_with("または"))
    {
        start + length
    } else {
        return None;
    };
    // Family and given name apart: "田中 健一".
    let given = words.get(next).filter(|given| {
        let letters = given.letters();
        let gap = &text[end.min(given.start)..given.start];
        let is_office = OFFICES.ends(given.text);
        matches!(gap, " " | "\u{3000}")
            && !is_office
            && (1..=3).contains(&letters)
            && given.text.chars().all(|c| Script::of(c) == Script::Han)
    });
    Some(start..given.filter(|_| after.is_empty()).map_or(end, Word::end))
}

/// Before its number in parentheses: `、水野翔（076-255-0112）`.
pub(super) fn in_list(text: &str, word: &Word<'_>, contact: &Range) -> Option<Range> {
    let gap = text.get(word.end()..contact.start)?.trim_start();
    let before = text[..word.start].trim_end();
    let is_name = (2..=6).contains(&word.letters())
        && !matches!(
            Script::of_text(word.text),
            Script::Latin | Script::Arabic | Script::Hebrew
        )
        && !word.is(Cues::PERSON | Cues::PHONE | Cues::HANDLE)
        && !OFFICES.ends(word.text);
    let is_further = before.ends_with([',', '、', '，', '；', '/', '／', '及', '和']);
    (is_name && is_further && matches!(gap.trim_end(), "（" | "(" | "：" | ":"))
        .then(|| word.start..word.end())
}

/// After a Thai form of address: `คุณสมชาย ใจดี`.
pub(super) fn thai(text: &str, words: &[Word<'_>], at: usize) -> Option<Range> {
    const TITLE: &str = "คุณ";
    let word = &words[at];
    let start = word.start + word.text.rfind(TITLE)? + TITLE.len();
    let family = words.get(at + 1).filter(|family| {
        let is_phone = family.text.starts_with("โทร") || family.text.starts_with("ที่");
        &text[word.end()..family.start] == " "
            && Script::of_text(family.text) == Script::Thai
            && !is_phone
            && family.letters() <= 16
    });
    let end = family.map_or(word.end(), Word::end);
    (start < word.end() && text[start..end].chars().count() <= 40).then_some(start..end)
}

static CHINESE_TITLES: List =
    List::new("经理 經理 先生 女士 小姐 老师 老師 师傅 師傅 主任 主管 厂长 廠長 店长 店長");

/// A Chinese family name with a title: "找罗经理". A name of several signs must be beside a contact,
/// because it may be a thing ("高级经理").
pub(super) fn titled(word: &Word<'_>, is_beside: bool) -> Option<Range> {
    const ASK: [char; 8] = ['找', '请', '請', '洽', '系', '絡', '络', '问'];
    let front = CHINESE_TITLES.without_ending(word.text)?;
    let end = word.start + front.len();
    let asked = front
        .rfind(ASK)
        .map(|at| front[at..].trim_start_matches(ASK));
    let name = asked.unwrap_or(front);
    let letters = name.chars().count();
    let is_family = name.starts_with(|c| CHINESE.contains(c));
    let is_name = match letters {
        1 => is_family,
        2..=3 => is_family && is_beside || DOUBLE.has(name),
        _ => false,
    };
    is_name.then(|| end - name.len()..word.end())
}

fn is_korean(word: &Word<'_>) -> bool {
    word.letters() == 3
        && word.text.starts_with(|c| KOREAN.contains(c))
        && word.text.chars().all(|c| Script::of(c) == Script::Hangul)
}

/// In running text, before a title that does not repeat an office: "탁누리 팀장이", but "홍보실 실장이".
fn korean_beside(text: &str, words: &[Word<'_>], at: usize) -> Option<Range> {
    static THINGS: List = List::new("팀 부 과 처 실 직 점 사 급 팅 스 한 할 의 는 된 될 며");
    let (name, title) = words.get(at).zip(words.get(at + 1))?;
    let is_office = title.text.starts_with(name.text.chars().next_back()?);
    let found = korean_titled(text, words, at);
    found.filter(|_| !is_office && !THINGS.ends(name.text))
}

/// Adds later mentions by the family name in Japanese (`江藤が`) or by the given name with a title
/// in Korean (`누리 팀장`).
pub(super) fn again(text: &str, name: &str) -> Vec<Range> {
    static PARTICLES: List = List::new("が は も を に へ と ま さ 様 氏 宛");
    let script = Script::of_text(name);
    let short = match script {
        Script::Hangul if name.chars().count() == 3 => &name[name.len() - "누리".len()..],
        Script::Han => name.split([' ', '\u{3000}']).next().unwrap_or(name),
        _ => return Vec::new(),
    };
    if short.len() == name.len() || short.chars().nth(1).is_none() {
        return Vec::new();
    }
    let is_letter = |c| Script::of(c) == script;
    let is_title = |it| TITLES.begins(it);
    let mentions = text.match_indices(short).filter(|(at, _)| {
        let next = &text[at + short.len()..];
        let follows = PARTICLES.begins(next)
            || script == Script::Hangul && next.strip_prefix(' ').is_some_and(is_title);
        follows && !text[..*at].ends_with(is_letter)
    });
    mentions.map(|(at, it)| at..at + it.len()).collect()
}

/// With a title after it: "정하늘 점장".
pub(super) fn korean_titled(text: &str, words: &[Word<'_>], at: usize) -> Option<Range> {
    let word = &words[at];
    let title = words.get(at + 1).filter(|_| is_korean(word))?;
    let is_title = &text[word.end()..title.start] == " " && TITLES.begins(title.text);
    is_title.then(|| word.start..word.end())
}

/// After a title: "원장 오미경", "팀장 석민지에게".
fn after_korean_title(text: &str, words: &[Word<'_>], at: usize) -> Option<Range> {
    static THINGS: List =
        List::new("자 직 회 급 은 는 가 을 를 로 의 에 와 과 처 서비스 이메일 선생님");
    const ENDS: [char; 8] = [',', '.', '\n', '(', '/', '|', ')', '·'];
    let name = words.get(at + 1)?;
    if !matches!(
        &text[words[at].end()..name.start],
        " " | ": " | " : " | "："
    ) {
        return None;
    }
    let bare = ["에게", "님께", "님이", "님", "께"]
        .iter()
        .find_map(|ending| name.text.strip_suffix(ending));
    let acts = name
        .text
        .strip_suffix(['이', '가'])
        .filter(|it| it.chars().count() == 3);
    let rest = text[name.end()..].trim_start_matches(' ');
    let is_end = rest.is_empty()
        || rest.starts_with(ENDS)
        || rest.starts_with(|c: char| c.is_ascii_digit())
        || ["이며", "이고", "입니다"]
            .iter()
            .any(|verb| rest.starts_with(verb));
    let bare = bare.or(acts).or_else(|| is_end.then_some(name.text))?;
    let is_name = is_full_name(bare) && !THINGS.ends(bare);
    is_name.then(|| name.start..name.start + bare.len())
}

/// A Chinese name after "HR".
pub(super) fn after_latin(text: &str, words: &[Word<'_>], at: usize) -> Option<Range> {
    let name = words.get(at + 1)?;
    let letters = name.letters();
    let is_known = (2..=3).contains(&letters) && name.text.starts_with(|c| CHINESE.contains(c));
    // "HR 宫晓棠：138 5501 3131"
    let is_beside_number = (2..=4).contains(&letters)
        && !OFFICES.ends(name.text)
        && text[name.end()..]
            .trim_start_matches(['：', ':', ' ', '（', '(', '，'])
            .starts_with(|c: char| c.is_ascii_digit() || c == '+');
    let is_name =
        (is_known || is_beside_number) && name.text.chars().all(|c| Script::of(c) == Script::Han);
    let gap = &text[words[at].end()..name.start];
    (is_name && matches!(gap, "" | " " | "：" | ": ")).then(|| name.start..name.end())
}

fn is_before_number(text: &str, at: usize) -> bool {
    let rest = text[at..].trim_start_matches(['（', '(', '、', '，', '：', ' ', '\u{3000}']);
    rest.len() < text.len() - at && rest.starts_with(|c: char| c.is_ascii_digit() || c == '+')
}

/// Two to four syllables that begin with a family name, alone or before a title.
fn korean(text: &str, words: &[Word<'_>], at: usize) -> Option<Range> {
    const AHEAD_WORDS: usize = 3;
    if TITLES.has(words[at].text) {
        return after_korean_title(text, words, at);
    }
    if let Some(titled) = korean_beside(text, words, at) {
        return Some(titled);
    }
    if !words[at].is(Cues::PERSON) && !CUES.words().any(|cue| words[at].text.contains(cue)) {
        return None;
    }
    let mut last = &words[at];
    for (number, word) in words[at + 1..].iter().take(AHEAD_WORDS).enumerate() {
        let gap = &text[last.end()..word.start];
        if gap.chars().count() > 3 || gap.contains(['\n', ',', '.']) {
            return None;
        }
        let has_colon = text[words[at].end()..word.start].contains([':', '：']);
        let letters = word.letters();
        let ends = text[word.end()..].starts_with([',', '.', '\n', ' ', '(', '/'])
            || word.end() == text.len();
        let is_name = (2..=4).contains(&letters)
            && !word
                .text
                .ends_with(['팀', '부', '과', '처', '실', '은', '는'])
            && word.text.starts_with(|c| KOREAN.contains(c))
            && word.text.chars().all(|c| Script::of(c) == Script::Hangul);
        // "문의: 팀장 황보름 010-5501-2602"
        let is_titled = number > 0 && TITLES.ends(last.text) && gap == " ";
        let is_announced = has_colon || is_titled || (number == 0 && gap == " ");
        let is_usual = letters == 3 || is_full_name(word.text);
        if is_name && is_usual && is_announced && ends {
            return Some(word.start..word.end());
        }
        last = word;
    }
    None
}
