//! Two weeks of made-up activity, so that the console's charts show something.

use access::activity::{ActivityWrites, Counts};
use runtime::clock;
use stores::Stores;
use time::Duration;

const DAYS: i64 = 13;
const CLIENTS: usize = 20;

pub async fn record(database: &Stores) -> anyhow::Result<()> {
    let today = clock::now().date();
    let mut writes = ActivityWrites::default();
    for (place, client) in (0..).zip(database.clients.list(CLIENTS).await?) {
        let known = database.activity.activity(client.id).await?;
        if known.days.iter().any(|day| day.date < today) {
            continue;
        }
        for ago in 1..=DAYS {
            if let Some(date) = today.checked_sub(Duration::days(ago)) {
                writes.days.push((client.id, date, pushes(place, ago)));
            }
        }
    }
    database.activity.record(&writes).await?;
    Ok(())
}

/// A client's pushes on a past day: a daily crawl, fewer new postings at weekends, and one day with
/// many refusals.
fn pushes(client: u64, ago: i64) -> Counts {
    let day = ago.unsigned_abs();
    let wave = (day * 7 + client * 5) % 11;
    let created = if day % 7 < 2 { 2 } else { 8 + wave };
    let rejected = created / 8;
    let mut counts = Counts {
        created,
        updated: 5 + wave / 2,
        unchanged: 20 + 3 * client + wave,
        expired: 2 + (day + client) % 5,
        reopened: u64::from(wave == 4),
        refused: if day == 5 + client { 14 } else { wave / 5 },
        approved: created - rejected,
        rejected,
        hours: 1 << 4,
        ..Counts::default()
    };
    // The first optional fields: kinds of work and place, country, city, and pay.
    for field in 0..8 {
        counts.fields.add(field, counts.accepted());
    }
    counts
}
