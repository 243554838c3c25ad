//! A stand-in for a language model behind the chat completions API of `OpenAI`. It judges postings
//! by their titles, and records all requests. On demand it answers nonsense or delays answers.

use std::{
    io,
    net::SocketAddr,
    sync::{Arc, Mutex, MutexGuard},
};

use http_body_util::Full;
use hyper::{
    Request, Response,
    body::Bytes,
    header::{AUTHORIZATION, CONTENT_TYPE},
};
use serde_json::{Value, json};
use tokio::sync::watch;

use super::stand_in::Server;

pub const KEY: &str = "sk-key-of-the-stand-in";

pub const MODEL: &str = "stand-in-1";

pub const REJECTION: &str = "The title says so itself.";

const RULE: [(&str, &str); 4] = [
    ("SPAM", "spam"),
    ("FRAUD", "fraud"),
    ("COURSE", "not_a_job"),
    ("ILLEGAL", "illegal"),
];

#[derive(Clone, Debug)]
pub struct Call {
    pub title: String,
    pub messages: Vec<String>,
    pub is_answered: bool,
}

pub struct Chat {
    shared: Arc<Shared>,
    server: Server,
}

struct Shared {
    state: Mutex<State>,
    held: watch::Sender<bool>,
}

#[derive(Default)]
struct State {
    calls: Vec<Call>,
    under_way: usize,
    talks_nonsense: bool,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }
}

impl Chat {
    pub fn start() -> Self {
        Self::start_at(([127, 0, 0, 1], 0).into())
    }

    pub fn start_at(address: SocketAddr) -> Self {
        let shared = Arc::new(Shared {
            state: Mutex::default(),
            held: watch::Sender::new(false),
        });
        let server = Server::start(Server::listen(address), {
            let shared = Arc::clone(&shared);
            move |request| serve(Arc::clone(&shared), request)
        });
        Self { shared, server }
    }

    pub fn url(&self) -> String {
        format!("http://{}/v1", self.address())
    }

    pub fn address(&self) -> SocketAddr {
        self.server.address()
    }

    /// Starts or stops answering with prose.
    pub fn talk_nonsense(&self, is_on: bool) {
        self.shared.state().talks_nonsense = is_on;
    }

    pub fn hold(&self) {
        self.shared.held.send_replace(true);
    }

    pub fn release(&self) {
        self.shared.held.send_replace(false);
    }

    pub fn calls(&self) -> Vec<Call> {
        self.shared.state().calls.clone()
    }

    pub fn under_way(&self) -> usize {
        self.shared.state().under_way
    }
}

/// A request in progress. Dropped after the answer, or when the client disconnects.
struct InFlightGuard(Arc<Shared>);

impl Drop for InFlightGuard {
    fn drop(&mut self) {
        self.0.state().under_way -= 1;
    }
}

async fn serve(shared: Arc<Shared>, request: Request<Bytes>) -> io::Result<Response<Full<Bytes>>> {
    let body: Value = serde_json::from_slice(request.body()).unwrap_or_default();
    let messages = body["messages"].as_array().into_iter().flatten();
    let messages = messages.map(|message| message["content"].as_str().unwrap_or_default());
    let messages: Vec<_> = messages.map(str::to_owned).collect();
    let shown = messages.iter().rev().find_map(|text| posting(text));
    let key = format!("Bearer {KEY}");
    let is_known = request
        .headers()
        .get(AUTHORIZATION)
        .is_some_and(|it| it == key.as_str());
    let is_asked = request.uri().path() == "/v1/chat/completions" && body["model"] == MODEL;
    let (true, true, Some((title, description))) = (is_known, is_asked, shown) else {
        // Real APIs also repeat the key.
        let error = json!({"error": {"message": format!("Not with {KEY}."), "type": "invalid"}});
        return Ok(answer(if is_known { 400 } else { 401 }, &error));
    };
    let (index, talks_nonsense) = {
        let mut state = shared.state();
        state.under_way += 1;
        let title = title.clone();
        state.calls.push(Call {
            title,
            messages,
            is_answered: false,
        });
        (state.calls.len() - 1, state.talks_nonsense)
    };
    let under_way = InFlightGuard(shared);
    // The sender lives as long as the server.
    let _ = under_way.0.held.subscribe().wait_for(|held| !*held).await;
    under_way.0.state().calls[index].is_answered = true;
    let content = if talks_nonsense {
        "I have read the posting, and I think it is fine.".to_owned()
    } else {
        judgement(&title, &description).to_string()
    };
    let choice = json!({"index": 0, "message": {"role": "assistant", "content": content},
        "finish_reason": "stop"});
    let usage = json!({"prompt_tokens": 1000, "completion_tokens": 100, "total_tokens": 1100});
    let completion = json!({"id": "chatcmpl-1", "object": "chat.completion", "model": MODEL,
        "choices": [choice], "usage": usage});
    Ok(answer(200, &completion))
}

fn answer(status: u16, body: &Value) -> Response<Full<Bytes>> {
    let response = Response::builder().status(status);
    let response = response.header(CONTENT_TYPE, "application/json");
    response.body(Full::new(body.to_string().into())).unwrap()
}

fn posting(message: &str) -> Option<(String, String)> {
    fn found(shown: &Value) -> Option<(String, String)> {
        let text = |key: &str| Some(shown.get(key)?.as_str()?.to_owned());
        let here = || Some((text("title")?, text("description_markdown")?));
        here().or_else(|| shown.as_object()?.values().find_map(found))
    }
    found(&serde_json::from_str(message).ok()?)
}

fn judgement(title: &str, description: &str) -> Value {
    if let Some((word, code)) = RULE.iter().find(|(word, _)| title.contains(word)) {
        return json!({"verdict": "reject", "code": code, "sentence": REJECTION,
            "passages": [word], "hide": []});
    }
    let emphasised = description.split("**").skip(1).step_by(2);
    let hide: Vec<_> = emphasised
        .map(|text| json!({"text": text, "kind": "company"}))
        .collect();
    json!({"verdict": "approve", "code": null, "sentence": null, "passages": [], "hide": hide})
}
