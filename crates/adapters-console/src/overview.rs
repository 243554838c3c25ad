//! `/`: what happens, at a glance.

use std::collections::BTreeMap;

use actix_web::{HttpRequest, web};
use askama::Template;
use domain::{
    client::{Client, activity::Counts},
    console::search::{Window, WindowOrder},
    posting::Status,
};
use time::{Date, Duration, OffsetDateTime};

use crate::{
    chart::{Chart, Column},
    error::Answer,
    page,
    state::{STATUS_COUNT, State},
    text,
};

/// Days of the chart.
const DAYS: i64 = 14;
/// Days of the sums of clients.
const LAST_DAYS: i64 = 7;
/// Clients that are read.
const CLIENTS: usize = 500;
/// Postings by which the time to approval is told.
const APPROVED: usize = 500;
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
    statuses: Vec<(Status, String)>,
    approval: Option<(String, String, usize)>,
    chart: Chart,
    backlog: Vec<(String, u64, u64, String)>,
    clients: Vec<Row>,
    has_more: bool,
}

struct Row {
    id: String,
    name: String,
    last_push: String,
    counts: [u64; 6],
    approved: u64,
    rejected: u64,
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
    let page = Page {
        head: page::Head::new("Overview"),
        frame,
        statuses: statuses(&state).await?,
        approval: approval(&state).await?,
        chart: Chart::new(
            "Pushes by outcome",
            &OUTCOMES,
            days.into_iter().map(|(date, counts)| Column {
                name: date.to_string(),
                values: outcomes(&counts).to_vec(),
            }),
        ),
        backlog: backlog
            .into_iter()
            .map(|one| {
                let age = one.oldest.map(|oldest| text::duration(now - oldest));
                (
                    one.kind.to_string(),
                    one.waiting,
                    one.dead,
                    age.unwrap_or_default(),
                )
            })
            .collect(),
        clients: rows,
        has_more,
    };
    page::answer(&page, 200)
}

/// The sums of all clients by day, and of each in the last days.
async fn activity(
    state: &State,
    clients: &[Client],
    now: OffsetDateTime,
) -> Result<(BTreeMap<Date, Counts>, Vec<Row>), crate::error::Failure> {
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
        for day in &activity.days {
            if let Some(known) = days.get_mut(&day.date) {
                *known += day.counts;
            }
            if today - day.date < Duration::days(LAST_DAYS) {
                sum += day.counts;
            }
        }
        rows.push((
            activity.last_push_at,
            Row {
                id: client.id.to_string(),
                name: client.name.clone(),
                last_push: text::optional_minute(activity.last_push_at),
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
async fn statuses(state: &State) -> Result<Vec<(Status, String)>, crate::error::Failure> {
    let mut counts = Vec::new();
    for (status, count) in state.counts().await? {
        let count = if count >= STATUS_COUNT {
            format!("over {}", STATUS_COUNT - 1)
        } else {
            count.to_string()
        };
        counts.push((status, count));
    }
    Ok(counts)
}

/// Median and 90th percentile of the time from the first push to the first approval, of the
/// approved postings that changed last.
async fn approval(state: &State) -> Result<Option<(String, String, usize)>, crate::error::Failure> {
    let order = WindowOrder::Newest {
        status: Some(Status::Approved),
        before: None,
    };
    let window = Window {
        order,
        limit: APPROVED,
    };
    let newest = state.ports.browser.window(&window).await?;
    let times = newest
        .iter()
        .filter_map(|one| Some(one.published_at? - one.created_at));
    let mut times: Vec<_> = times.collect();
    times.sort_unstable();
    let at = |percent: usize| times.get(times.len().saturating_sub(1) * percent / 100);
    let told = at(50).zip(at(90));
    Ok(told.map(|(median, most)| (text::duration(*median), text::duration(*most), times.len())))
}
