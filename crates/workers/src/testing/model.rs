use std::{
    collections::HashMap,
    future::pending,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use domain::posting::{ReasonCode, Verdict};
use enrichment::{Brief, Draft, DraftError, EnrichError, Feedback, Model, Phrase};
use tokio::time::{Instant, sleep};

#[derive(Clone, Debug)]
pub enum Answer {
    Approve,
    Reject(ReasonCode),
    /// The answer is not JSON.
    Unusable,
    Fail(EnrichError),
    Hang,
}

#[derive(Clone, Debug)]
pub struct Call {
    pub at: Instant,
    pub has_feedback: bool,
}

pub struct ScriptedModel {
    pub takes: Mutex<Duration>,
    pub hide: Mutex<Vec<Phrase>>,
    /// The answer to all other titles.
    usual: Mutex<Answer>,
    special: Mutex<HashMap<String, Answer>>,
    calls: Mutex<Vec<Call>>,
    under_way: AtomicUsize,
    most_under_way: AtomicUsize,
}

impl Default for ScriptedModel {
    fn default() -> Self {
        Self {
            takes: Mutex::new(Duration::from_secs(2)),
            hide: Mutex::default(),
            usual: Mutex::new(Answer::Approve),
            special: Mutex::default(),
            calls: Mutex::default(),
            under_way: AtomicUsize::new(0),
            most_under_way: AtomicUsize::new(0),
        }
    }
}

struct InFlightGuard<'a>(&'a AtomicUsize);

impl Drop for InFlightGuard<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl ScriptedModel {
    pub fn answer(&self, answer: Answer) {
        *self.usual.lock().unwrap() = answer;
    }

    pub fn answer_to(&self, title: &str, answer: Answer) {
        self.special
            .lock()
            .unwrap()
            .insert(title.to_owned(), answer);
    }

    pub fn relent(&self) {
        self.special.lock().unwrap().clear();
        self.answer(Answer::Approve);
    }

    pub fn calls(&self) -> Vec<Call> {
        self.calls.lock().unwrap().clone()
    }

    pub fn most_under_way(&self) -> usize {
        self.most_under_way.load(Ordering::SeqCst)
    }
}

#[async_trait]
impl Model for ScriptedModel {
    fn version(&self) -> &'static str {
        "1 scripted"
    }

    async fn draft(
        &self,
        brief: &Brief<'_>,
        feedback: Option<&Feedback>,
    ) -> Result<Draft, DraftError> {
        self.calls.lock().unwrap().push(Call {
            at: Instant::now(),
            has_feedback: feedback.is_some(),
        });
        let under_way = self.under_way.fetch_add(1, Ordering::SeqCst) + 1;
        self.most_under_way.fetch_max(under_way, Ordering::SeqCst);
        let _under_way = InFlightGuard(&self.under_way);
        let takes = *self.takes.lock().unwrap();
        sleep(takes).await;

        let special = self.special.lock().unwrap().get(brief.title).cloned();
        let answer = special.unwrap_or_else(|| self.usual.lock().unwrap().clone());
        let verdict = match answer {
            Answer::Approve => Verdict::Approve,
            Answer::Reject(code) => Verdict::Reject {
                code,
                text: "It says so itself.".to_owned(),
                passages: Vec::new(),
            },
            Answer::Unusable => {
                return Err(DraftError::Unusable(Feedback {
                    answer: "Sure! Here is".to_owned(),
                    faults: vec!["The answer is not JSON.".to_owned()],
                }));
            }
            Answer::Fail(error) => return Err(error.into()),
            Answer::Hang => pending().await,
        };
        Ok(Draft {
            verdict,
            hide: self.hide.lock().unwrap().clone(),
            answer: "{}".to_owned(),
        })
    }
}
