//! Remarks on the pay.

use domain::posting::{Details, Remark, RemarkCode, SalaryPeriod};
use fields::codes::CurrencyCode;

/// Average annual pay by currency, rounded, with the statistics office and the year. Pay may differ
/// from it by the factor [`PLAUSIBLE`], so only the order of magnitude matters. "OECD" is "Pensions
/// at a Glance 2023", table 7.5 (<https://read.oecd.org/10.1787/b272660f-en>), with the ILO's
/// figures for Indonesia and Saudi Arabia.
const AVERAGE: [(&str, i64, &str); 28] = [
    ("AUD", 95_000, "OECD, 2022"),
    ("BRL", 33_000, "IBGE, 2022"), // PNAD Contínua: 2,754 a month, all jobs
    ("CAD", 78_000, "OECD, 2022"),
    ("CHF", 98_000, "OECD, 2022"),     // 103,142 US dollars
    ("CLP", 9_100_000, "INE, 2022"),   // ESI: 757,752 a month, net
    ("CNY", 114_000, "NBS, 2022"),     // 114,029, urban units that are not private
    ("COP", 19_000_000, "OECD, 2022"), // 4,443 US dollars
    ("CZK", 484_000, "CZSO, 2022"),    // 40,353 a month
    ("DKK", 500_000, "OECD, 2022"),
    ("EUR", 42_000, "OECD, 2022"), // a value between those of the euro countries
    ("GBP", 45_000, "OECD, 2022"),
    ("HKD", 230_000, "C&SD, 2022"),    // 19,100 a month, median
    ("HUF", 6_000_000, "KSH, 2022"),   // 499,980 a month
    ("IDR", 37_000_000, "OECD, 2022"), // 2,481 US dollars
    ("ILS", 136_000, "CBS, 2021"),     // 11,349 a month, November
    ("INR", 234_000, "NSO, 2022/23"),  // PLFS: 19,492 a month, regular pay
    ("ISK", 11_000_000, "OECD, 2022"),
    ("JPY", 5_200_000, "OECD, 2022"),
    ("KRW", 52_000_000, "OECD, 2022"),
    ("MXN", 140_000, "OECD, 2022"), // 6,962 US dollars
    ("NOK", 635_000, "SSB, 2022"),  // 634,700
    ("NZD", 75_000, "OECD, 2022"),
    ("PLN", 76_000, "GUS, 2022"),  // 6,346.15 a month
    ("RON", 73_500, "INS, 2022"),  // 6,126 a month
    ("SAR", 79_000, "OECD, 2022"), // 21,069 US dollars
    ("SEK", 500_000, "OECD, 2022"),
    ("USD", 67_000, "OECD, 2022"),
    ("ZAR", 295_000, "Stats SA, 2022"), // QES: 24,578 a month
];

/// Pay is plausible up to this factor above or below the average: a director earns more, a trainee
/// or a part-time worker less.
const PLAUSIBLE: i64 = 15;

/// The number of periods in a year; 2,080 hours are 52 weeks of 40 hours.
const fn a_year(period: SalaryPeriod) -> i64 {
    match period {
        SalaryPeriod::Hourly => 2_080,
        SalaryPeriod::Weekly => 52,
        SalaryPeriod::Monthly => 12,
        _ => 1,
    }
}

pub(super) fn remarks(details: &Details, markdown: &str) -> Vec<Remark> {
    let mut remarks = Vec::new();
    let (min, max) = (details.salary_min, details.salary_max);
    let ends = [("salary_min", min), ("salary_max", max)];
    let ends = ends
        .into_iter()
        .filter_map(|(field, end)| Some((field, end?)));
    let ends: Vec<_> = ends.collect();
    let Some((first, _)) = ends.first() else {
        return remarks;
    };
    match details.salary_currency_code {
        None => remarks.push(Remark::new(
            RemarkCode::PayWithoutCurrency,
            "salary_currency_code",
            "The pay has no currency, so search engines do not show it.",
        )),
        Some(currency) => {
            remarks.extend(
                ends.iter()
                    .find_map(|end| implausible(*end, currency, details)),
            );
            remarks.extend(contradicted(first, (min, max), currency, markdown));
        }
    }
    if let (Some(min), Some(max)) = (min, max)
        && min > 0
        && max / 5 >= min
        && max > min.saturating_mul(5)
    {
        remarks.push(Remark::new(
            RemarkCode::PayRangeWide,
            "salary_max",
            format!(
                "The upper end of the pay, {max}, is more than five times the lower one, {min}."
            ),
        ));
    }
    remarks
}

fn implausible(
    (field, amount): (&str, i64),
    currency: CurrencyCode,
    details: &Details,
) -> Option<Remark> {
    let code = RemarkCode::PayImplausible;
    if amount == 0 {
        return Some(Remark::new(code, field, "The pay is 0."));
    }
    let period = details.salary_period?;
    let known = AVERAGE.iter().find(|(code, ..)| *code == currency.as_str());
    let (_, average, source) = known?;
    let yearly = amount.saturating_mul(a_year(period));
    let (least, most) = (average / PLAUSIBLE, average * PLAUSIBLE);
    if (least..=most).contains(&yearly) {
        return None;
    }
    let unit = a_year(period);
    let sentence = format!(
        "{amount} {currency} {period} is implausible: full-time pay averages about {} {currency} \
         {period} ({source}).",
        average / unit
    );
    Some(Remark::new(code, field, sentence))
}

/// Returns a remark if the text names figures in the currency, and none of these figures is the pay
/// for any period.
fn contradicted(
    field: &str,
    (min, max): (Option<i64>, Option<i64>),
    currency: CurrencyCode,
    markdown: &str,
) -> Option<Remark> {
    let (least, most) = (min.or(max)?, max.or(min)?);
    let figures = figures(markdown, currency);
    let factors = [1, 12, 52, 2_080, 40, 160, 4];
    // Tolerates a difference of a tenth, because texts round and add bonuses.
    let agrees = |figure: i64| {
        let (least, most) = (least.saturating_mul(9) / 10, most.saturating_mul(11) / 10);
        factors.iter().any(|factor| {
            let more = figure.saturating_mul(*factor);
            (least..=most).contains(&more) || (least..=most).contains(&(figure / factor))
        })
    };
    let shown = figures.first().copied()?;
    if figures.into_iter().any(agrees) {
        return None;
    }
    Some(Remark::new(
        RemarkCode::PayContradicted,
        field,
        format!("The text names {shown} {currency}, which is not the pay of the fields."),
    ))
}

/// The signs that texts put before or after a figure in place of the currency's code.
const SIGNS: [(&str, &[&str]); 5] = [
    ("EUR", &["€", "Euro"]),
    ("GBP", &["£"]),
    ("USD", &["US$", "$"]),
    ("NOK", &["kr"]),
    ("SEK", &["kr"]),
];

/// The figures of a text beside the currency's code or sign, near words about pay.
fn figures(markdown: &str, currency: CurrencyCode) -> Vec<i64> {
    let signs = SIGNS.iter().find(|(code, _)| *code == currency.as_str());
    let signs = signs.map_or(&[][..], |(_, signs)| signs);
    let marks = signs.iter().copied().chain([currency.as_str()]);
    let mut figures = Vec::new();
    for mark in marks {
        for (at, _) in markdown.match_indices(mark) {
            let (before, after) = (&markdown[..at], &markdown[at + mark.len()..]);
            if !is_about_pay(before, after) {
                continue;
            }
            let after = after.trim_start_matches([' ', '\u{a0}']);
            let length = after
                .find(|c: char| !is_of_figure(c))
                .unwrap_or(after.len());
            let next = number(&after[..length], after[length..].starts_with(['k', 'K']));
            let before = before.trim_end_matches([' ', '\u{a0}']);
            let thousands = before.ends_with(['k', 'K']);
            let before = before.trim_end_matches(['k', 'K']);
            let start = before.rfind(|c: char| !is_of_figure(c));
            let start = start.map_or(0, |at| {
                at + before[at..].chars().next().map_or(0, char::len_utf8)
            });
            let previous = number(&before[start..], thousands);
            figures.extend(next.or(previous));
        }
    }
    // A figure below 5 is no pay. It may be a premium or a voucher.
    figures.retain(|figure| *figure >= 5);
    figures
}

/// Words that mark a nearby figure as pay.
const PAY: [&str; 22] = [
    "salary",
    "pay",
    "wage",
    "gehalt",
    "lohn",
    "vergütung",
    "verdienst",
    "salaire",
    "lønn",
    "lön",
    "hour",
    "year",
    "month",
    "annum",
    "p.a.",
    "stunde",
    "jahr",
    "monat",
    "heure",
    "mois",
    "brutto",
    "gross",
];

/// Whether one of the words is within forty characters of a figure.
fn is_about_pay(before: &str, after: &str) -> bool {
    let before: String = before.chars().rev().take(40).collect();
    let before: String = before.chars().rev().collect();
    let after: String = after.chars().take(40).collect();
    let near = format!("{before} {after}").to_lowercase();
    PAY.iter().any(|word| near.contains(word))
}

const fn is_of_figure(c: char) -> bool {
    c.is_ascii_digit() || matches!(c, '.' | ',' | '\'' | '’' | '\u{202f}')
}

/// The whole units of a figure.
fn number(text: &str, thousands: bool) -> Option<i64> {
    let text = text.trim_matches(|c: char| !c.is_ascii_digit());
    // The digits after the last separator are a fraction, unless there are three.
    let cut = text.rfind(|c: char| !c.is_ascii_digit());
    let whole = match cut {
        Some(at) if text[at..].chars().count() != 4 => &text[..at],
        _ => text,
    };
    let digits: String = whole.chars().filter(char::is_ascii_digit).collect();
    let number: i64 = digits.parse().ok()?;
    Some(if thousands {
        number.saturating_mul(1_000)
    } else {
        number
    })
}
