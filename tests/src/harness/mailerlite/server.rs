use std::{
    future, io,
    net::Ipv4Addr,
    sync::{Arc, Mutex},
    time::Instant,
};

use http_body_util::Full;
use hyper::{
    Request, Response,
    body::Bytes,
    header::{AUTHORIZATION, CONTENT_TYPE, RETRY_AFTER},
};

use super::{
    super::stand_in::Server, Account, Call, MailerLite, State, account::AccountData, reply::Reply,
};

pub fn start() -> MailerLite {
    let listener = Server::listen((Ipv4Addr::LOCALHOST, 0));
    let url = format!("http://{}/api", listener.local_addr().unwrap());
    let state = Arc::new(Mutex::new(State {
        accounts: [AccountData::new(&url, 0), AccountData::new(&url, 1)],
        unanswered: Vec::new(),
        calls: Vec::new(),
    }));
    let server = Server::start(listener, {
        let state = Arc::clone(&state);
        move |request| serve(Arc::clone(&state), request)
    });
    MailerLite { state, server }
}

async fn serve(
    state: Arc<Mutex<State>>,
    request: Request<Bytes>,
) -> io::Result<Response<Full<Bytes>>> {
    let (head, body) = request.into_parts();
    let authorization = head.headers.get(AUTHORIZATION);
    let key = authorization
        .and_then(|value| value.to_str().ok()?.strip_prefix("Bearer "))
        .unwrap_or_default();
    let call = Call {
        account: Account::ALL.into_iter().find(|one| one.key() == key),
        method: head.method.to_string(),
        path: head.uri.to_string(),
        body: serde_json::from_slice(&body).unwrap_or_default(),
        at: Instant::now(),
        status: None,
    };
    let answer = state.lock().unwrap().answer(call);
    match answer {
        Some(answer) => Ok(answer),
        None => future::pending().await,
    }
}

impl State {
    fn answer(&mut self, call: Call) -> Option<Response<Full<Bytes>>> {
        let (reply, rate) = self.reply(&call);
        let is_meant = |one: &(Account, &str)| Some(one.0) == call.account && one.1 == call.method;
        let withheld = self.unanswered.iter().position(is_meant);
        let status = withheld.is_none().then_some(reply.status);
        self.calls.push(Call { status, ..call });
        match withheld {
            Some(at) => {
                self.unanswered.remove(at);
                None
            }
            None => Some(response(&reply, rate)),
        }
    }

    fn reply(&mut self, call: &Call) -> (Reply, Option<(usize, usize)>) {
        let Some(account) = call.account else {
            return (Reply::of_status(401, None), None);
        };
        let data = &mut self.accounts[account as usize];
        let reply = match data.admit(call.at) {
            Ok(()) => data.answer(call),
            Err(seconds) => Reply::of_status(429, Some(seconds)),
        };
        (reply, Some((data.limit, data.remaining())))
    }
}

fn response(reply: &Reply, rate: Option<(usize, usize)>) -> Response<Full<Bytes>> {
    let mut response = Response::builder().status(reply.status);
    if let Some((limit, remaining)) = rate {
        response = response
            .header("X-RateLimit-Limit", limit)
            .header("X-RateLimit-Remaining", remaining);
    }
    if let Some(seconds) = reply.retry_after {
        response = response.header(RETRY_AFTER, seconds);
    }
    let body = match &reply.body {
        Some(body) => {
            response = response.header(CONTENT_TYPE, "application/json");
            body.to_string()
        }
        None => String::new(),
    };
    response.body(Full::new(body.into())).unwrap()
}
