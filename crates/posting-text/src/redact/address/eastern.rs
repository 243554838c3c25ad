//! Addresses in Chinese, Japanese and Korean, from the largest part to the smallest.

use super::{Hidden, Text, Word};
use crate::{Range, Result, pattern::patterns};

patterns! {
    /// The group is the address, after its city.
    FORMS = crate::pattern::one_of(include_str!("../tables/eastern_addresses.txt"));
}

pub(super) fn addresses(on: Text<'_>, found: &[Hidden]) -> Result<Vec<Range>> {
    let (text, words, budget) = on.parts();
    let mut out = Vec::new();
    if !words.iter().any(Word::is_unspaced) {
        return Ok(out);
    }
    budget.spend(text.len().saturating_mul(4))?;
    let mut start = 0;
    let ends = found.iter().map(|it| (it.range.start, it.range.end));
    for (end, next) in ends.chain([(text.len(), 0)]) {
        let piece = text.get(start..end).unwrap_or_default();
        for captures in FORMS.captures_iter(piece) {
            let group = captures.iter().skip(1).flatten().next();
            out.extend(
                group
                    .filter(|it| is_address(it.as_str(), &piece[it.end()..]))
                    .map(|it| start + it.start()..start + it.end()),
            );
        }
        start = next;
    }
    Ok(out)
}

/// Not "2층으로 3", "활동 2-3회" or "地铁2号线".
fn is_address(found: &str, after: &str) -> bool {
    !found.contains("으로 ") && !after.starts_with(|c| "명개년월일시원만회주线".contains(c))
}
