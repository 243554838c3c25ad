//! `/integration`: what the client may do, and what came of its pushes.

use access::{Activity, Client, Scope, activity::Counts};
use actix_web::{HttpRequest, web};
use askama::Template;

use super::state::{INTEGRATION, State, client_with};
use crate::{
    chart::Chart,
    error::Answer,
    overview::{last_days, pushes},
    page::{self, Frame},
};

#[derive(Template)]
#[template(path = "integration/overview.html")]
struct Page {
    head: page::Head,
    frame: Frame,
    client: Client,
    pushes: Chart,
    /// The sums of the chart's days.
    sums: Counts,
    activity: Activity,
}

pub async fn show(request: HttpRequest, state: web::Data<State>) -> Answer {
    let client = client_with(&request, Scope::READERS)?;
    let activity = state.ports.activity.activity(client.id).await?;
    let (mut days, mut sums) = (last_days(state.now()), Counts::default());
    for day in &activity.days {
        if let Some(counts) = days.get_mut(&day.date) {
            *counts += day.counts;
            sums += day.counts;
        }
    }
    let page = Page {
        head: page::Head::at(&INTEGRATION, "Overview"),
        frame: Frame::of(&request, "/")?,
        client,
        pushes: pushes(days),
        sums,
        activity,
    };
    page::answer(&page, 200)
}
