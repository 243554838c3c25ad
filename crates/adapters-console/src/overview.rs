//! `/`: what needs attention, and what happens, at a glance.

use std::collections::{BTreeMap, HashMap};

use access::{Activity, Client, activity::Counts};
use askama::Template;
use kernel::{
    ClientId, Status,
    outbox::{Backlog, Kind},
};
use time::{Date, Duration, OffsetDateTime};

use crate::{
    attention::{self, Matter},
    chart::{Chart, Column, percent},
    error::{Answer, Failure},
    page::Frame,
    state::{STATUS_COUNT, State},
    text,
    visit::OperatorVisit,
};

/// Days of the chart.
const DAYS: i64 = 14;
/// Days of the sums of clients.
const LAST_DAYS: usize = 7;
/// Clients that are read, and those that are shown: the last to push.
const CLIENTS: usize = 500;
const SHOWN: usize = 50;
/// The steps of the times to approval: names, and their ends.
const STEPS: [(&str, Option<Duration>); 6] = [
    ("< 10 s", Some(Duration::seconds(10))),
    ("< 1 min", Some(Duration::minutes(1))),
    ("< 10 min", Some(Duration::minutes(10))),
    ("< 1 h", Some(Duration::hours(1))),
    ("< 1 d", Some(Duration::days(1))),
    ("longer", None),
];
/// The outcomes of pushes.
const OUTCOMES: [&str; 6] = [
    "created",
    "updated",
    "unchanged",
    "expired",
    "reopened",
    "refused",
];

#[derive(Template)]
#[template(path = "overview.html")]
struct Page {
    frame: Frame,
    matters: Vec<Matter>,
    more_matters: usize,
    statuses: Option<Vec<Counted>>,
    approval: Option<Approval>,
    pushes: Chart,
    backlog: Vec<Backlog>,
    clients: Vec<Row>,
    has_more: bool,
    now: OffsetDateTime,
}

impl Page {
    /// The share of all that waits.
    fn share(&self, one: &Backlog) -> u64 {
        percent(
            one.waiting,
            self.backlog.iter().map(|one| one.waiting).sum(),
        )
    }

    /// How long the oldest of a kind has waited.
    fn age(&self, one: &Backlog) -> String {
        let age = one.oldest.map(|oldest| text::duration(self.now - oldest));
        age.unwrap_or_default()
    }
}

/// The number of postings of a status.
struct Counted {
    status: Status,
    count: String,
    percent: u64,
}

/// The time from the first push to the first approval.
struct Approval {
    median: String,
    most: String,
    chart: Chart,
}

struct Row {
    id: ClientId,
    name: String,
    last_push: Option<OffsetDateTime>,
    /// What was pushed on each day, the oldest first: the number, and its share of the largest one.
    days: Vec<(u64, u64)>,
    counts: Counts,
}

/// Numbers with their shares of the largest one.
fn shares(numbers: &[u64]) -> Vec<(u64, u64)> {
    let most = numbers.iter().copied().max().unwrap_or_default();
    let shares = numbers
        .iter()
        .map(|number| (*number, percent(*number, most)));
    shares.collect()
}

const fn outcomes(counts: &Counts) -> [u64; 6] {
    [
        counts.created,
        counts.updated,
        counts.unchanged,
        counts.expired,
        counts.reopened,
        counts.refused,
    ]
}

pub async fn show(visit: OperatorVisit) -> Answer {
    let (state, stores, now) = (&*visit.state, visit.stores(), visit.now);
    let mut clients = stores.clients.list(CLIENTS).await?;
    clients.truncate(CLIENTS);
    let ids: Vec<_> = clients.iter().map(|client| client.id).collect();
    let activities = stores.activity.activities(&ids, false).await?;
    let (days, mut rows) = activity(&activities, &clients, now);
    let has_more = rows.len() > SHOWN;
    rows.truncate(SHOWN);
    let mut backlog = stores.outbox.backlog(state.settings.kinds).await?;
    let mut matters = attention::matters(&visit, &backlog, &clients, &activities).await?;
    let more_matters = matters.len().saturating_sub(attention::SHOWN);
    matters.truncate(attention::SHOWN);
    // The newsletter's work is none of a board's that has no newsletter.
    let is_used =
        |kind: &Kind| state.settings.has_newsletter || !newsletter::tasks::KINDS.contains(kind);
    backlog.retain(|one| one.waiting + one.dead > 0 || is_used(&one.kind));
    let page = Page {
        frame: visit.frame("/", "Overview"),
        matters,
        more_matters,
        statuses: statuses(state).await?,
        approval: approval(state).await?,
        pushes: pushes(days),
        backlog,
        clients: rows,
        has_more,
        now,
    };
    page.frame.answer(&page)
}

/// The last days, without counts.
pub fn last_days(now: OffsetDateTime) -> BTreeMap<Date, Counts> {
    let today = now.date();
    (0..DAYS)
        .filter_map(|ago| today.checked_sub(Duration::days(ago)))
        .map(|date| (date, Counts::default()))
        .collect()
}

/// A chart of the pushes of some days.
pub fn pushes(days: BTreeMap<Date, Counts>) -> Chart {
    let columns = days.into_iter().enumerate().map(|(n, (date, counts))| {
        let name = date.to_string();
        Column {
            // Month and day; every second one up to today, to be readable.
            label: (n % 2 == 1).then(|| name.get(5..).unwrap_or(&name).to_owned()),
            name,
            values: outcomes(&counts).to_vec(),
        }
    });
    let covers = format!("the last {DAYS} days (UTC)");
    Chart::new("Pushes by outcome", (covers, "Day"), &OUTCOMES, columns)
}

/// The sums of all clients by day, and of each in the last days.
fn activity(
    activities: &HashMap<ClientId, Activity>,
    clients: &[Client],
    now: OffsetDateTime,
) -> (BTreeMap<Date, Counts>, Vec<Row>) {
    let today = now.date();
    let mut days = last_days(now);
    let mut rows = Vec::with_capacity(clients.len());
    for client in clients {
        let activity = activities.get(&client.id);
        let mut sum = Counts::default();
        let mut pushed = [0; LAST_DAYS];
        for day in activity.iter().flat_map(|activity| &activity.days) {
            if let Some(known) = days.get_mut(&day.date) {
                *known += day.counts;
            }
            let ago = usize::try_from((today - day.date).whole_days());
            if let Some(place) = ago.ok().and_then(|ago| pushed.iter_mut().nth_back(ago)) {
                *place = day.counts.pushes();
                sum += day.counts;
            }
        }
        rows.push(Row {
            id: client.id,
            name: client.name.clone(),
            last_push: activity.and_then(|activity| activity.last_push_at),
            days: shares(&pushed),
            counts: sum,
        });
    }
    rows.sort_by_key(|row| std::cmp::Reverse(row.last_push));
    (days, rows)
}

/// The number of postings of each status, up to a limit.
async fn statuses(state: &State) -> Result<Option<Vec<Counted>>, Failure> {
    let Some(counts) = state.counts().await? else {
        return Ok(None);
    };
    let number = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
    let all = counts.iter().map(|(_, count)| number(*count)).sum();
    let counted = counts.into_iter().map(|(status, count)| Counted {
        status,
        percent: percent(number(count), all),
        count: if count >= STATUS_COUNT {
            format!("over {}", text::grouped(number(STATUS_COUNT - 1)))
        } else {
            text::grouped(number(count))
        },
    });
    Ok(Some(counted.collect()))
}

/// The times to approval of the approved postings that changed last: median, 90th percentile, and
/// how many took how long.
async fn approval(state: &State) -> Result<Option<Approval>, Failure> {
    let Some(times) = state.times_to_approval().await? else {
        return Ok(None);
    };
    let at = |percent: usize| times.get(times.len().saturating_sub(1) * percent / 100);
    let Some((median, most)) = at(50).zip(at(90)) else {
        return Ok(None);
    };
    let mut before = 0;
    let columns = STEPS.into_iter().map(|(name, below)| {
        let here = times.partition_point(|time| below.is_none_or(|below| *time < below));
        let count = here - std::mem::replace(&mut before, here);
        Column {
            name: name.to_owned(),
            label: Some(name.to_owned()),
            values: vec![u64::try_from(count).unwrap_or(u64::MAX)],
        }
    });
    let covers = match times.len() {
        1 => "one approved posting".to_owned(),
        count => format!("the last {count} approved postings"),
    };
    Ok(Some(Approval {
        median: text::duration(*median),
        most: text::duration(*most),
        chart: Chart::new("Time to approval", (covers, "Time"), &["postings"], columns),
    }))
}
