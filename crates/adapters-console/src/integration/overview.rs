//! `/integration`: what the client may do, and what came of its pushes.

use access::{Activity, Client, Scope, activity::Counts};
use askama::Template;

use crate::{
    chart::Chart,
    error::Answer,
    overview::{last_days, pushes},
    page::{self, Frame},
    visit::Visit,
};

#[derive(Template)]
#[template(path = "integration/overview.html")]
struct Page<'a> {
    frame: Frame,
    client: &'a Client,
    pushes: Chart,
    /// The sums of the chart's days.
    sums: Counts,
    activity: Activity,
}

pub async fn show(visit: Visit) -> Answer {
    let client = visit.client(Scope::READERS)?;
    let activity = visit.ports().activity.activity(client.id).await?;
    let (mut days, mut sums) = (last_days(visit.now), Counts::default());
    for day in &activity.days {
        if let Some(counts) = days.get_mut(&day.date) {
            *counts += day.counts;
            sums += day.counts;
        }
    }
    let page = Page {
        frame: visit.frame("/", "Overview"),
        client,
        pushes: pushes(days),
        sums,
        activity,
    };
    page::answer(&page, 200)
}
