//! `/`: what happens, at a glance.

use std::collections::BTreeMap;

use access::{Client, activity::Counts};
use actix_web::{HttpRequest, web};
use askama::Template;
use kernel::Status;
use time::{Date, Duration, OffsetDateTime};

use crate::{
    chart::{Chart, Column, percent},
    error::{Answer, Failure},
    page,
    state::{STATUS_COUNT, State},
    text,
};

/// Days of the chart.
const DAYS: i64 = 14;
/// Days of the sums of clients.
const LAST_DAYS: usize = 7;
/// Clients that are read.
const CLIENTS: usize = 500;
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
    head: page::Head,
    frame: page::Frame,
    statuses: Option<Vec<Counted>>,
    approval: Option<Approval>,
    pushes: Chart,
    backlog: Vec<Waiting>,
    clients: Vec<Row>,
    has_more: bool,
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
    of: usize,
    chart: Chart,
}

/// Side effects of a kind.
struct Waiting {
    kind: String,
    tasks: u64,
    percent: u64,
    dead: u64,
    oldest: String,
}

struct Row {
    id: String,
    name: String,
    last_push: String,
    /// What was pushed on each day, the oldest first: the number, and its share of the largest one.
    days: Vec<(u64, u64)>,
    counts: [u64; 6],
    approved: u64,
    rejected: u64,
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

/// The overview.
pub async fn show(request: HttpRequest, state: web::Data<State>) -> Answer {
    let frame = page::Frame::of(&request, "/")?;
    let now = state.now();
    let mut clients = state.ports.clients.list(CLIENTS + 1).await?;
    let has_more = clients.len() > CLIENTS;
    clients.truncate(CLIENTS);
    let (days, rows) = activity(&state, &clients, now).await?;
    let backlog = state.ports.outbox.backlog(&state.ports.kinds).await?;
    let most = backlog.iter().map(|one| one.waiting).max();
    let page = Page {
        head: page::Head::new("Overview"),
        frame,
        statuses: statuses(&state).await?,
        approval: approval(&state).await?,
        pushes: pushes(days),
        backlog: backlog
            .into_iter()
            .map(|one| Waiting {
                kind: one.kind.to_string(),
                tasks: one.waiting,
                percent: percent(one.waiting, most.unwrap_or_default()),
                dead: one.dead,
                oldest: one
                    .oldest
                    .map(|oldest| text::duration(now - oldest))
                    .unwrap_or_default(),
            })
            .collect(),
        clients: rows,
        has_more,
    };
    page::answer(&page, 200)
}

fn pushes(days: BTreeMap<Date, Counts>) -> Chart {
    let columns = days.into_iter().enumerate().map(|(n, (date, counts))| {
        let name = date.to_string();
        Column {
            // Month and day; every second one, to be readable.
            label: (n % 2 == 0).then(|| name.get(5..).unwrap_or(&name).to_owned()),
            name,
            values: outcomes(&counts).to_vec(),
        }
    });
    let covers = format!("the last {DAYS} days (UTC)");
    Chart::new("Pushes by outcome", (covers, "Day"), &OUTCOMES, columns)
}

/// The sums of all clients by day, and of each in the last days.
async fn activity(
    state: &State,
    clients: &[Client],
    now: OffsetDateTime,
) -> Result<(BTreeMap<Date, Counts>, Vec<Row>), Failure> {
    let today = now.date();
    let mut days: BTreeMap<_, Counts> = (0..DAYS)
        .filter_map(|ago| today.checked_sub(Duration::days(ago)))
        .map(|date| (date, Counts::default()))
        .collect();
    let ids: Vec<_> = clients.iter().map(|client| client.id).collect();
    let activities = state.ports.activity.activities(&ids).await?;
    let mut rows = Vec::with_capacity(clients.len());
    for client in clients {
        let activity = activities.get(&client.id).cloned().unwrap_or_default();
        let mut sum = Counts::default();
        let mut pushed = [0; LAST_DAYS];
        for day in &activity.days {
            if let Some(known) = days.get_mut(&day.date) {
                *known += day.counts;
            }
            let ago = usize::try_from((today - day.date).whole_days());
            if let Some(place) = ago.ok().and_then(|ago| pushed.iter_mut().nth_back(ago)) {
                *place = outcomes(&day.counts).iter().sum();
                sum += day.counts;
            }
        }
        rows.push((
            activity.last_push_at,
            Row {
                id: client.id.to_string(),
                name: client.name.clone(),
                last_push: text::optional_minute(activity.last_push_at),
                days: shares(&pushed),
                counts: outcomes(&sum),
                approved: sum.approved,
                rejected: sum.rejected,
            },
        ));
    }
    rows.sort_by_key(|(last_push, _)| std::cmp::Reverse(*last_push));
    Ok((days, rows.into_iter().map(|(_, row)| row).collect()))
}

/// The number of postings of each status, up to a limit.
async fn statuses(state: &State) -> Result<Option<Vec<Counted>>, Failure> {
    let Some(counts) = state.counts().await? else {
        return Ok(None);
    };
    let number = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
    let most = counts.iter().map(|(_, count)| number(*count)).max();
    let counted = counts.into_iter().map(|(status, count)| Counted {
        status,
        percent: percent(number(count), most.unwrap_or_default()),
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
    let covers = format!("the last {} approved postings", times.len());
    Ok(Some(Approval {
        median: text::duration(*median),
        most: text::duration(*most),
        of: times.len(),
        chart: Chart::new("Time to approval", (covers, "Time"), &["postings"], columns),
    }))
}
