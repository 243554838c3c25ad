//! Stacked columns as SVG, with the same as a table.

/// A value's share of the largest one, in percent; at least one if it is not zero.
pub fn percent(value: u64, most: u64) -> u64 {
    let share = u128::from(value) * 100 / u128::from(most.max(1));
    u64::try_from(share)
        .unwrap_or(100)
        .clamp(u64::from(value > 0), 100)
}

/// The size of a chart, in its own units.
const WIDTH: u64 = 720;
const HEIGHT: u64 = 160;
/// The room for labels, below.
const LABELS: u64 = 24;

/// A column of a chart.
#[derive(Clone, Debug)]
pub struct Column {
    pub name: String,
    /// The label below the bar, where there is room.
    pub label: Option<String>,
    /// A value of each series.
    pub values: Vec<u64>,
}

/// A part of a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bar {
    pub x: u64,
    pub y: u64,
    pub width: u64,
    pub height: u64,
    pub series: usize,
}

/// A chart.
#[derive(Clone, Debug)]
pub struct Chart {
    pub title: &'static str,
    /// What the chart covers, after its title.
    pub covers: String,
    /// What a column stands for.
    pub of: &'static str,
    pub series: &'static [&'static str],
    pub columns: Vec<Column>,
    pub bars: Vec<Bar>,
    /// Names below the columns: where, and what.
    pub labels: Vec<(u64, String)>,
    pub most: u64,
    pub width: u64,
    pub height: u64,
    pub base: u64,
}

impl Chart {
    /// A chart of columns, from left to right.
    pub fn new(
        title: &'static str,
        (covers, of): (String, &'static str),
        series: &'static [&'static str],
        columns: impl Iterator<Item = Column>,
    ) -> Self {
        let columns: Vec<_> = columns.collect();
        let most = columns
            .iter()
            .map(|column| column.values.iter().sum())
            .max();
        let most: u64 = most.unwrap_or_default();
        let step = WIDTH / u64::try_from(columns.len()).unwrap_or(1).max(1);
        let (mut bars, mut labels) = (Vec::new(), Vec::new());
        for (n, column) in (0_u64..).zip(&columns) {
            let (x, mut sum) = (n * step + step / 8, 0);
            for (series, value) in column.values.iter().enumerate() {
                let top = |sum: u64| HEIGHT - scaled(sum, most);
                let (from, to) = (top(sum), top(sum + value));
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
                labels.push((n * step + step / 2, label.clone()));
            }
        }
        Self {
            title,
            covers,
            of,
            series,
            columns,
            bars,
            labels,
            most,
            width: WIDTH,
            height: HEIGHT + LABELS,
            base: HEIGHT,
        }
    }
}

fn scaled(value: u64, most: u64) -> u64 {
    let share = u128::from(value) * u128::from(HEIGHT - 10) / u128::from(most.max(1));
    u64::try_from(share).unwrap_or(HEIGHT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_that_is_there_is_seen() {
        for (value, most, expect) in [
            (0, 0, 0),
            (0, 9, 0),
            (1, 1_000, 1),
            (500, 1_000, 50),
            (9, 9, 100),
            (u64::MAX, u64::MAX, 100),
        ] {
            assert_eq!(percent(value, most), expect, "{value} of {most}");
        }
    }

    #[test]
    fn bars_stand_on_each_other_within_the_chart() {
        for values in [vec![1, 0, 3], vec![u64::MAX / 4; 3], vec![0, 0, 0]] {
            let column = |name: &str| Column {
                name: name.to_owned(),
                label: None,
                values: values.clone(),
            };
            let columns = [column("2026-03-01"), column("2026-03-02")];
            let chart = Chart::new(
                "t",
                (String::new(), "Day"),
                &["a", "b", "c"],
                columns.into_iter(),
            );
            let least = chart.bars.iter().map(|bar| bar.y).min();
            assert!(least.is_none_or(|least| least >= 10));
            for pair in chart.bars.windows(2).filter(|pair| pair[0].x == pair[1].x) {
                assert_eq!(pair[1].y + pair[1].height, pair[0].y);
            }
            assert!(
                chart
                    .bars
                    .iter()
                    .all(|bar| bar.x + bar.width <= chart.width)
            );
        }
    }
}
