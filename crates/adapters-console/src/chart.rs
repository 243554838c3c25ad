//! A chart of stacked columns as SVG, and its numbers as a table.

use crate::text;

/// A share in percent; at least 1 unless zero.
pub fn percent(value: u64, whole: u64) -> u64 {
    let share = u128::from(value) * 100 / u128::from(whole.max(1));
    u64::try_from(share)
        .unwrap_or(100)
        .clamp(u64::from(value > 0), 100)
}

const WIDTH: u64 = 720;
const HEIGHT: u64 = 160;
const LABELS: u64 = 24;

#[derive(Clone, Debug)]
pub struct Column {
    pub name: String,
    pub label: Option<String>,
    pub values: Vec<u64>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bar {
    pub x: u64,
    pub y: u64,
    pub width: u64,
    pub height: u64,
    pub series: usize,
}

#[derive(Clone, Debug)]
pub struct Chart {
    pub title: &'static str,
    pub covers: String,
    pub of: &'static str,
    pub series: &'static [&'static str],
    pub columns: Vec<Column>,
    pub bars: Vec<Bar>,
    /// Names below the columns: position, text, and whether a narrow chart has room for the text.
    pub labels: Vec<(u64, String, bool)>,
    /// Lines of the axis: position and round value.
    pub axis: Vec<(u64, u64)>,
    pub gutter: usize,
    pub width: u64,
    pub height: u64,
}

impl Chart {
    pub fn new(
        title: &'static str,
        (covers, of): (String, &'static str),
        series: &'static [&'static str],
        columns: impl Iterator<Item = Column>,
    ) -> Self {
        let columns: Vec<_> = columns.collect();
        let sums = columns.iter().map(|column| column.values.iter().sum());
        let (top, half) = round(sums.max().unwrap_or_default());
        let height = |value: u64| {
            let share = u128::from(value) * u128::from(HEIGHT) / u128::from(top);
            HEIGHT - u64::try_from(share).unwrap_or(HEIGHT).min(HEIGHT)
        };
        let step = WIDTH / u64::try_from(columns.len()).unwrap_or(1).max(1);
        let (mut bars, mut labels) = (Vec::new(), Vec::new());
        for (n, column) in (0_u64..).zip(&columns) {
            let (x, mut sum) = (n * step + step / 8, 0);
            for (series, value) in column.values.iter().enumerate() {
                let (from, to) = (height(sum), height(sum + value));
                sum += value;
                if from > to {
                    bars.push(Bar {
                        x,
                        y: to,
                        width: step * 3 / 4,
                        height: from - to,
                        series,
                    });
                }
            }
            if let Some(label) = &column.label {
                labels.push((n * step + step / 2, label.clone(), true));
            }
        }
        // The last name stays.
        for (_, _, has_room) in labels.iter_mut().rev().skip(1).step_by(2) {
            *has_room = false;
        }
        let values = [Some(0), half, Some(top)].into_iter().flatten();
        Self {
            title,
            covers,
            of,
            series,
            bars,
            labels,
            axis: values.map(|value| (height(value), value)).collect(),
            gutter: 16 + 13 * text::grouped(top).chars().count(),
            columns,
            width: WIDTH,
            height: HEIGHT + LABELS,
        }
    }
}

/// Returns the top of an axis for `most`, and half of the top. A top is a digit (1 to 6, or 8),
/// perhaps with zeros. It is even, except for 1, which has no half.
fn round(most: u64) -> (u64, Option<u64>) {
    let mut unit: u64 = 1;
    while most > unit.saturating_mul(10) {
        unit = unit.saturating_mul(10);
    }
    let tops = [1, 2, 3, 4, 5, 6, 8].map(|step| unit.saturating_mul(step));
    let has_half = |top: &u64| *top == 1 || top.is_multiple_of(2);
    let top = tops.into_iter().find(|top| *top >= most && has_half(top));
    let top = top.unwrap_or_else(|| unit.saturating_mul(10));
    (top, (top > 1).then_some(top / 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_that_is_there_is_seen() {
        let shares = [
            (0, 0),
            (0, 9),
            (1, 1_000),
            (500, 1_000),
            (u64::MAX, u64::MAX),
        ];
        assert_eq!(
            shares.map(|(value, whole)| percent(value, whole)),
            [0, 0, 1, 50, 100]
        );
    }

    #[test]
    fn an_axis_ends_at_a_round_number() {
        let values = [0, 1, 3, 5, 7, 9, 22, 185, 201, 1_196, 6_500, u64::MAX];
        let tops = [1, 1, 4, 6, 8, 10, 30, 200, 300, 2_000, 8_000, u64::MAX];
        for (most, top) in values.into_iter().zip(tops) {
            let (found, half) = round(most);
            assert_eq!(found, top, "{most}");
            assert!(half.is_none_or(|half| half == top / 2));
        }
    }

    #[test]
    fn bars_are_stacked_within_the_chart() {
        for values in [vec![1, 0, 3], vec![u64::MAX / 4; 3], vec![0, 0, 0]] {
            let column = |name: &str| Column {
                name: name.to_owned(),
                label: Some(name.to_owned()),
                values: values.clone(),
            };
            let columns = ["2026-03-01", "2026-03-02", "2026-03-03"].map(column);
            let of = (String::new(), "Day");
            let chart = Chart::new("t", of, &["a", "b", "c"], columns.into_iter());
            for pair in chart.bars.windows(2).filter(|pair| pair[0].x == pair[1].x) {
                assert_eq!(pair[1].y + pair[1].height, pair[0].y);
            }
            let mut bars = chart.bars.iter();
            assert!(bars.all(|bar| bar.x + bar.width <= chart.width && bar.y < HEIGHT));
            let room = chart.labels.iter().map(|(.., has_room)| *has_room);
            assert_eq!(room.collect::<Vec<_>>(), [true, false, true]);
        }
    }
}
