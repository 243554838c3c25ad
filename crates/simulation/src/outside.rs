//! Receivers of webhooks, the e-mail provider, and the model. They hang, refuse, answer late or
//! wrongly, or do not answer.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use domain::posting::{EnrichedTexts, Enrichment, ReasonCode, Verdict};
use enrichment::{EnrichError, Enricher, EnrichmentInput, StopFlag};
use newsletter::subscriber::provider::{Call, Provider, ProviderError, Relay};
use tokio::time::sleep;
use webhooks::{AddressProblem, Attempt, Delivery, EndpointUrl, NoAnswer, Sender};

use crate::{
    deliveries,
    judge::{is_fine, number},
    link::Link,
    reached::Reached,
    subscribers,
};

pub struct Receivers(pub Arc<Link>);

impl Receivers {
    fn take(&self, delivery: &Delivery<'_>, attempt: deliveries::Attempt) {
        let host = delivery.url.name().unwrap_or_default();
        let (name, id) = (&self.0.name, delivery.id);
        let world = &self.0.world;
        world.note(format!("{name}: {host} takes {id}"));
        let wrong = world.deliveries().take(host, id, attempt);
        if world.deliveries().is_late(host) {
            world.reach(Reached::LateDelivery);
        }
        if let Some(wrong) = wrong {
            world.violated(format!("{name}: {host}: {wrong}"));
        }
    }

    fn unanswered(reason: NoAnswer) -> Attempt {
        Attempt::unanswered(reason, "the simulation", Duration::from_secs(1))
    }
}

#[async_trait]
impl Sender for Receivers {
    async fn send(&self, delivery: &Delivery<'_>) -> Attempt {
        let world = &self.0.world;
        let host = delivery.url.name().unwrap_or_default();
        let begun = world.deliveries().begin(&self.0.name, host);
        self.0.hop().await;
        if let Some(hangs) = world.is_silent(host) {
            sleep(Duration::from_secs(if hangs { 15 } else { 0 })).await;
            return Self::unanswered(NoAnswer::Connection);
        }
        let answered = |status| Attempt::answered(status, None, Duration::from_secs(1));
        let mood = if world.may_misbehave(5) {
            world.dice.below(60)
        } else {
            60
        };
        let attempt = match mood {
            0 => answered(410),
            1..=10 => answered(500),
            11..=15 => Attempt::answered(429, Some(Duration::from_secs(7)), Duration::ZERO),
            16..=25 => {
                sleep(Duration::from_secs(15)).await;
                Self::unanswered(NoAnswer::Timeout)
            }
            26..=30 => Self::unanswered(NoAnswer::Broken),
            31..=40 => {
                world.deliveries().lose_answer(host, delivery.id, begun);
                world.reach(Reached::LostAnswer);
                self.take(delivery, begun);
                Self::unanswered(NoAnswer::Connection)
            }
            41..=50 => {
                sleep(Duration::from_secs(10)).await;
                self.take(delivery, begun);
                answered(200)
            }
            _ => {
                self.take(delivery, begun);
                answered(200)
            }
        };
        self.0.hop().await;
        attempt
    }

    async fn check(&self, _: &EndpointUrl) -> Result<(), AddressProblem> {
        Ok(())
    }
}

/// Rejects every fifth title.
pub struct Model(pub Arc<Link>);

#[async_trait]
impl Enricher for Model {
    async fn enrich(
        &self,
        input: &EnrichmentInput,
        _: &StopFlag,
    ) -> Result<Enrichment, EnrichError> {
        self.0.hop().await;
        let world = &self.0.world;
        if world.may_misbehave(6) {
            let message = "the simulation".to_owned();
            let after = None;
            match world.dice.below(6) {
                0 => sleep(Duration::from_mins(1)).await,
                1 => sleep(Duration::from_secs(10)).await,
                2 => return Err(EnrichError::Permanent(message)),
                3 => return Err(EnrichError::Unavailable { message, after }),
                _ => return Err(EnrichError::Retry { message, after }),
            }
        }
        let title = number(&input.title);
        let verdict = if is_fine(title) {
            Verdict::Approve
        } else {
            Verdict::Reject {
                code: if title.is_multiple_of(2) {
                    ReasonCode::NoContent
                } else {
                    ReasonCode::Spam
                },
                text: "It is spam.".to_owned(),
                passages: Vec::new(),
            }
        };
        self.0.hop().await;
        let text = || input.title.clone();
        Ok(Enrichment {
            texts: EnrichedTexts {
                markdown: text(),
                redacted_markdown: text(),
                redacted_title: Some(text()),
            },
            verdict,
            ..Enrichment::bare()
        })
    }
}

pub struct Mail(pub Arc<Link>);

impl Relay for Mail {
    fn behind(&self) -> &dyn Provider {
        &self.0.world.provider
    }

    async fn pass_on<T: Send>(
        &self,
        call: Call<'_>,
        answer: impl Future<Output = Result<T, ProviderError>> + Send,
    ) -> Result<T, ProviderError> {
        let world = &self.0.world;
        self.0.hop().await;
        let message = "the simulation".to_owned();
        let after = Some(Duration::from_secs(3));
        let error = world.may_misbehave(8).then(|| match world.dice.below(12) {
            0 => ProviderError::Permanent(message),
            1..=3 => ProviderError::Limited { message, after },
            _ => ProviderError::Retry {
                message,
                after: None,
            },
        });
        let is_done = error.is_none() || world.dice.one_in(2);
        world.note(format!("{}: {call:?}: {is_done}, {error:?}", self.0.name));
        world.provider.at(world.now());
        if is_done && call.name == "remove" {
            // The id is the account and the address.
            let address = call.whom.split(':').next_back().unwrap_or_default();
            subscribers::check_removal(world, call.account, address).await;
        }
        let done = if is_done { Some(answer.await) } else { None };
        self.0.hop().await;
        match (error, done) {
            (None, Some(done)) => done,
            (Some(error), _) => Err(error),
            (None, None) => unreachable!("it is done unless it failed"),
        }
    }
}
