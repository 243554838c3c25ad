//! Checks the public URL and the clock from outside.

use adapters_mailerlite::Settings;
use reqwest::{Response, StatusCode, header::DATE};
use runtime::clock;
use time::{Duration, OffsetDateTime};
use url::Url;

use super::check::{Check, TIMEOUTS};
use crate::output;

const PUBLIC_URL: &str = "public-url";
const CLOCK: &str = "clock";

/// How far the clock may differ from the `Date` of an answer, which has whole seconds and may be
/// older.
const TOLERANCE: Duration = Duration::seconds(15);

/// Checks that the public URL leads to a ready service. A URL derived from the listening address is
/// skipped.
pub async fn public_url(url: Option<&str>) -> Option<Check> {
    let url = Url::parse(&format!("{}/readyz", url?)).ok()?;
    let problem = match get(&url).await {
        Ok(answer) if answer.status() == StatusCode::OK => {
            return Some(Check::good(PUBLIC_URL, format!("{url} is ready")));
        }
        Ok(answer) => format!("{url} answers {}", answer.status()),
        Err(error) => output::in_one_line(&error),
    };
    Some(Check::doubtful(
        PUBLIC_URL,
        problem,
        "check that the service runs, that its proxy passes paths on as they are, and that this \
         machine may reach it",
    ))
}

/// Compares the clock with the provider's `Date`, by a request without a key. `None` without an
/// answer.
pub async fn clock(accounts: &Settings) -> Option<Check> {
    let account = accounts.old.as_ref().or(accounts.new.as_ref())?;
    let asked = clock::machine();
    let answer = get(&account.base_url).await.ok()?;
    let date = answer.headers().get(DATE)?.to_str().ok()?;
    let theirs = OffsetDateTime::from(httpdate::parse_http_date(date).ok()?);
    Some(compare(asked, clock::machine(), theirs))
}

fn compare(asked: OffsetDateTime, answered: OffsetDateTime, theirs: OffsetDateTime) -> Check {
    let ahead = asked - theirs;
    let behind = theirs - answered;
    let (off, way) = if ahead > behind {
        (ahead, "ahead of")
    } else {
        (behind, "behind")
    };
    if off <= TOLERANCE {
        return Check::good(CLOCK, "it agrees with the e-mail provider's");
    }
    Check::doubtful(
        CLOCK,
        format!(
            "this machine's clock is about {} seconds {way} the e-mail provider's",
            off.whole_seconds()
        ),
        "set it by NTP",
    )
}

async fn get(url: &Url) -> anyhow::Result<Response> {
    let client = outbound::client(url, TIMEOUTS, 0)?;
    Ok(client.get(url.clone()).send().await?)
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    #[test]
    fn a_date_may_be_old_and_late() {
        let asked = datetime!(2026-03-01 12:00 UTC);
        let answered = asked + Duration::seconds(5);
        for (seconds, expected) in [
            (0, "agrees"),
            (-15, "agrees"),
            (20, "agrees"),
            (-16, "16 seconds ahead of"),
            (3_605, "3600 seconds behind"),
        ] {
            let check = compare(asked, answered, asked + Duration::seconds(seconds));
            assert!(check.message.contains(expected), "{check:?}");
            assert!(check.ok, "{check:?}");
        }
    }
}
