use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use serde_json::Value;
use tokio::{task::JoinHandle, time::sleep};

use super::Api;

pub const EVENTS: &str = "/api/job-board/events";

pub struct Follower {
    task: JoinHandle<Vec<Value>>,
    is_over: Arc<AtomicBool>,
}

impl Follower {
    /// Reads pages of `limit` events from the servers in turn, and skips a server that is down.
    pub fn start(servers: Vec<Api>, after: Option<String>, limit: usize) -> Self {
        let is_over = Arc::new(AtomicBool::new(false));
        let over = Arc::clone(&is_over);
        let task = tokio::spawn(async move {
            let (mut after, mut events) = (after, Vec::new());
            for server in servers.iter().cycle() {
                // The pages from here on have all earlier events.
                let is_last = over.load(Ordering::Acquire);
                let Some(page) = page(server, after.as_deref(), limit).await else {
                    sleep(Duration::from_millis(50)).await;
                    continue;
                };
                let next = page["next_cursor"].as_str().unwrap().to_owned();
                let data = page["data"].as_array().unwrap();
                if is_last && data.is_empty() {
                    break;
                }
                assert!(after.is_none_or(|after| after <= next), "{page}");
                events.extend(data.iter().cloned());
                after = Some(next);
            }
            events
        });
        Self { task, is_over }
    }

    pub async fn finish(self) -> Vec<Value> {
        self.is_over.store(true, Ordering::Release);
        self.task.await.unwrap()
    }
}

async fn page(server: &Api, after: Option<&str>, limit: usize) -> Option<Value> {
    let mut path = format!("{EVENTS}?limit={limit}&wait=1");
    if let Some(after) = after {
        path = format!("{path}&after={after}");
    }
    let request = server.authorized(reqwest::Method::GET, &path);
    let answer = request.send().await.ok()?;
    let status = answer.status();
    let body = answer.bytes().await.ok()?;
    match status.as_u16() {
        200 => Some(serde_json::from_slice(&body).unwrap()),
        503 => None,
        other => panic!("{other}: {}", String::from_utf8_lossy(&body)),
    }
}
