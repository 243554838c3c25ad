//! A receiver of webhooks that answers 204 and keeps its deliveries.

use std::{sync::Mutex, time::Duration};

use async_trait::async_trait;
use tokio::time::sleep;
use webhooks::{AddressProblem, Attempt, Delivery, EndpointUrl, Secret, Sender};

#[derive(Clone, Debug)]
pub struct Delivered {
    pub id: String,
    pub url: String,
    pub body: String,
    pub secrets: Vec<Secret>,
}

/// The host `private.example` has a private address, `broken.example` answers 500, and the name
/// `slow.example` does not resolve in time.
#[derive(Default)]
pub struct Receiver {
    pub delivered: Mutex<Vec<Delivered>>,
}

#[async_trait]
impl Sender for Receiver {
    async fn send(&self, delivery: &Delivery<'_>) -> Attempt {
        self.delivered.lock().unwrap().push(Delivered {
            id: delivery.id.to_owned(),
            url: delivery.url.as_str().to_owned(),
            body: String::from_utf8(delivery.body.to_vec()).unwrap(),
            secrets: delivery.secrets.to_vec(),
        });
        let is_broken = delivery.url.name() == Some("broken.example");
        let status = if is_broken { 500 } else { 204 };
        Attempt::answered(status, None, Duration::from_millis(7))
    }

    async fn check(&self, url: &EndpointUrl) -> Result<(), AddressProblem> {
        match url.name() {
            Some("private.example") => Err(AddressProblem::NotPublic),
            Some("slow.example") => {
                sleep(Duration::from_secs(1)).await;
                Err(AddressProblem::Late)
            }
            _ => Ok(()),
        }
    }
}
