//! The colours of CSS, as numbers.

/// Red, green, blue, and zero if transparent.
pub(super) type Color = [u8; 4];

/// The colour of CSS, `None` if unknown. It has a name, numbers or digits.
pub(super) fn color(value: &str) -> Option<Color> {
    let mut named = include_str!("../tables/colors.txt").lines();
    let named = named.find_map(|line| line.strip_prefix(value)?.strip_prefix(' '));
    let value = named.unwrap_or(value);
    if let Some(("rgb" | "rgba", numbers)) = value.split_once('(') {
        let numbers = numbers.trim_end_matches(')').split([',', ' ', '/']);
        let mut numbers = numbers.filter(|number| !number.is_empty());
        let mut part = || numbers.next()?.parse().ok();
        let (red, green, blue) = (part()?, part()?, part()?);
        let opacity = numbers
            .next()
            .map(|it| it.trim_end_matches('%').parse::<f64>());
        let opaque = if opacity == Some(Ok(0.0)) { 0 } else { u8::MAX };
        return Some([red, green, blue, opaque]);
    }
    let digits = value.trim_start_matches('#');
    let width = if digits.len() < 6 { 1 } else { 2 };
    let part = |at: usize| {
        let digits = digits.get(at * width..(at + 1) * width)?.repeat(3 - width);
        u8::from_str_radix(&digits, 16).ok()
    };
    Some([part(0)?, part(1)?, part(2)?, part(3).unwrap_or(u8::MAX)])
}
