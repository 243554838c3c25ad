mod outages;
mod paid_once;
mod processes;
mod verdicts;

use std::thread;

use serde_json::{Value, json};

use crate::harness::{
    App, SETTLING, Site, Store,
    chat::{Chat, KEY, MODEL},
    complete, eventually, fresh,
};

pub(super) struct Board {
    pub app: App,
    pub chat: Chat,
}

fn with_model(site: Site, url: &str) -> Site {
    site.with("POSTHASTE_ENRICHER", "llm")
        .with("POSTHASTE_LLM_BASE_URL", url)
        .with("POSTHASTE_LLM_MODEL", MODEL)
        .with("POSTHASTE_LLM_API_KEY", KEY)
}

impl Board {
    pub fn served(store: Store) -> Self {
        Self::served_as(store, |site| site, &[])
    }

    pub fn served_as(store: Store, set_up: impl FnOnce(Site) -> Site, arguments: &[&str]) -> Self {
        let chat = Chat::start();
        let site = set_up(with_model(Site::new(store), &chat.url()));
        Self {
            app: App::served_as(site, arguments),
            chat,
        }
    }

    pub async fn push(&self, payload: &Value) -> String {
        let id = fresh("judged");
        self.app.put(&id, payload).await.created();
        id
    }

    pub async fn approved(&self, id: &str) -> Value {
        let posting = self.app.api.until(id, "approved").await;
        // The stand-in model hides the emphasised words of the posting.
        let redacted = posting["markdown_redacted_description"].as_str().unwrap();
        assert!(
            redacted.contains("a **[company]** who knows roses"),
            "{posting}"
        );
        assert_eq!(posting["status_reason"], Value::Null);
        posting
    }

    pub async fn under_way(&self, many: usize) {
        eventually("requests are under way", SETTLING, || async {
            (self.chat.under_way() == many).then_some(())
        })
        .await;
    }
}

impl Drop for Board {
    fn drop(&mut self) {
        if !thread::panicking() {
            assert!(!self.app.site.log().contains(KEY), "the log has the key");
        }
    }
}

/// A payload with a unique description, and a title by which the model judges the posting.
pub(super) fn titled(title: &str) -> Value {
    let mut payload = complete();
    payload["title"] = json!(title);
    let description = payload["raw_description"].as_str().unwrap_or_default();
    payload["raw_description"] = json!(format!("{description}<p>{}</p>", fresh("Bed")));
    payload
}

fn text(posting: &Value) -> &str {
    posting["markdown_description"].as_str().unwrap_or_default()
}

fn steps(posting: &Value) -> Vec<&str> {
    let history = posting["history"].as_array().unwrap().iter();
    history
        .map(|step| step["status"].as_str().unwrap())
        .collect()
}
