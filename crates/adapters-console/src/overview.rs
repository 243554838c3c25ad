//! `/`: what needs attention, and current activity.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, HashMap},
};

use access::{Activity, Client, activity::Counts};
use askama::Template;
use fields::vocabulary::vocabulary;
use kernel::{
    AttentionItem, ClientId, Status,
    outbox::{Backlog, Kind},
};
use time::{Date, Duration, OffsetDateTime};

use crate::{
    chart::{Chart, Column, percent},
    error::{Answer, Failure},
    facts::fill_rate,
    page::Frame,
    state::{STATUS_COUNT, State},
    text,
    visit::OperatorVisit,
};

const DAYS: i64 = 14;
const LAST_DAYS: usize = 7;
/// How many clients are read, and how many are shown: the first in the chosen order.
const CLIENTS: usize = 500;
const SHOWN: usize = 50;
const ITEMS: usize = 50;
/// Ranges of the time to approval: names and upper ends.
const STEPS: [(&str, Option<Duration>); 6] = [
    ("< 10 s", Some(Duration::seconds(10))),
    ("< 1 min", Some(Duration::minutes(1))),
    ("< 10 min", Some(Duration::minutes(10))),
    ("< 1 h", Some(Duration::hours(1))),
    ("< 1 d", Some(Duration::days(1))),
    ("longer", None),
];
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
    items: Vec<AttentionItem>,
    more_items: usize,
    statuses: Option<Vec<Counted>>,
    approval: Option<Approval>,
    pushes: Chart,
    backlog: Vec<Backlog>,
    clients: Vec<Row>,
    order: Order,
    has_more: bool,
    now: OffsetDateTime,
}

vocabulary! {
    Order {
        LastPush = "last_push",
        Name = "name",
        Visible = "visible",
        Fields = "fields",
        Pushes = "pushes",
        Created = "created",
        Refused = "refused",
        Approved = "approved",
        Rejected = "rejected",
    }
}

impl Order {
    const fn title(self) -> &'static str {
        match self {
            Self::LastPush => "Last push (UTC)",
            Self::Name => "Client",
            Self::Visible => "Visible now",
            Self::Fields => "Fields filled",
            Self::Pushes => "Pushes",
            Self::Created => "Created",
            Self::Refused => "Refused",
            Self::Approved => "Approved",
            Self::Rejected => "Rejected",
        }
    }

    fn sort(self, rows: &mut [Row]) {
        let number: fn(&Row) -> u64 = match self {
            Self::Name => return rows.sort_by_key(|row| row.name.to_lowercase()),
            Self::LastPush => return rows.sort_by_key(|row| Reverse(row.last_push)),
            Self::Visible => |row| row.visible,
            Self::Fields => Row::lost,
            Self::Pushes => |row| row.counts.pushes(),
            Self::Created => |row| row.counts.created,
            Self::Refused => Row::refused,
            Self::Approved => |row| row.counts.approved,
            Self::Rejected => |row| row.counts.rejected,
        };
        rows.sort_by_key(|row| (Reverse(number(row)), row.name.to_lowercase()));
    }
}

impl Page {
    fn heading(&self, order: &str) -> String {
        let order = Order::parse(order).unwrap_or(Order::LastPush);
        let title = order.title();
        if order == self.order {
            return format!("{title} ↓");
        }
        format!("<a href=\"/?sort={}#clients\">{title}</a>", order.as_str())
    }

    fn share(&self, one: &Backlog) -> u64 {
        percent(
            one.waiting,
            self.backlog.iter().map(|one| one.waiting).sum(),
        )
    }

    fn age(&self, one: &Backlog) -> String {
        let age = one.oldest.map(|oldest| text::duration(self.now - oldest));
        age.unwrap_or_default()
    }
}

struct Counted {
    status: Status,
    count: String,
    percent: u64,
}

struct Approval {
    median: String,
    most: String,
    chart: Chart,
}

struct Row {
    id: ClientId,
    name: String,
    is_marked: bool,
    visible: u64,
    last_push: Option<OffsetDateTime>,
    /// Pushes per day, oldest day first: the number, and its share of the maximum.
    days: Vec<(u64, u64)>,
    counts: Counts,
    /// The percentage of filled optional fields: since yesterday, and in the week before.
    fields: [Option<u64>; 2],
}

impl Row {
    fn lost(&self) -> u64 {
        let [recent, before] = self.fields;
        recent.map_or(0, |recent| before.unwrap_or(0).saturating_sub(recent))
    }

    fn refused(&self) -> u64 {
        percent(self.counts.refused, self.counts.pushes())
    }
}

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
    let mut items = stores.attention.attention().await?.items;
    let (days, mut rows) = activity(&activities, &clients, &items, now);
    let order = visit.query().get("sort").and_then(Order::parse);
    let order = order.unwrap_or(Order::LastPush);
    order.sort(&mut rows);
    let has_more = rows.len() > SHOWN;
    rows.truncate(SHOWN);
    let mut backlog = stores.outbox.backlog(state.settings.kinds).await?;
    let more_items = items.len().saturating_sub(ITEMS);
    items.truncate(ITEMS);
    // A board without a newsletter has no newsletter work.
    let is_used =
        |kind: &Kind| state.settings.has_newsletter || !newsletter::tasks::KINDS.contains(kind);
    backlog.retain(|one| one.waiting + one.dead > 0 || is_used(&one.kind));
    let page = Page {
        frame: visit.frame("/", "Overview"),
        items,
        more_items,
        statuses: statuses(state).await?,
        approval: approval(state).await?,
        pushes: pushes(days),
        backlog,
        clients: rows,
        order,
        has_more,
        now,
    };
    page.frame.answer(&page)
}

pub fn last_days(now: OffsetDateTime) -> BTreeMap<Date, Counts> {
    let today = now.date();
    (0..DAYS)
        .filter_map(|ago| today.checked_sub(Duration::days(ago)))
        .map(|date| (date, Counts::default()))
        .collect()
}

pub fn pushes(days: BTreeMap<Date, Counts>) -> Chart {
    let columns = days.into_iter().enumerate().map(|(n, (date, counts))| {
        let name = date.to_string();
        Column {
            // Month and day. For readability, only every second day has a label; today has one.
            label: (n % 2 == 1).then(|| name.get(5..).unwrap_or(&name).to_owned()),
            name,
            values: outcomes(&counts).to_vec(),
        }
    });
    let covers = format!("the last {DAYS} days (UTC)");
    Chart::new("Pushes by outcome", (covers, "Day"), &OUTCOMES, columns)
}

fn activity(
    activities: &HashMap<ClientId, Activity>,
    clients: &[Client],
    items: &[AttentionItem],
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
            is_marked: items.iter().any(|item| item.client == Some(client.id)),
            visible: activity.map_or(0, |activity| activity.visible),
            last_push: activity.and_then(|activity| activity.last_push_at),
            days: shares(&pushed),
            counts: sum,
            fields: activity.map_or([None; 2], |it| it.compared(now).each_ref().map(fill_rate)),
        });
    }
    (days, rows)
}

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

/// The times to approval of recently changed approved postings: median, 90th percentile, and counts
/// by range.
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
