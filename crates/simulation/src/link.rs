//! A process's link to everything outside. Only here time passes, and only here calls fail.
//!
//! The calls of a killed process never return, whether they took effect or not. To others, it seems
//! to have died between two awaits.

use std::{future::pending, sync::Arc};

use kernel::StoreError;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::world::World;

pub struct Link {
    pub world: Arc<World>,
    pub name: String,
    /// Cancelled when the process is killed.
    pub death: CancellationToken,
}
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The call never arrives, and the caller knows.
    Away,
    /// The call never arrives, and the caller does not know.
    Lost,
    /// The call succeeds, and the caller does not know.
    Unanswered,
    Conflict,
    Locked,
}

const CALL: [Fault; 3] = [Fault::Away, Fault::Lost, Fault::Unanswered];
const COMMIT: [Fault; 5] = [
    Fault::Away,
    Fault::Lost,
    Fault::Unanswered,
    Fault::Conflict,
    Fault::Locked,
];

fn unavailable() -> StoreError {
    StoreError::Unavailable("away".to_owned())
}

impl Link {
    pub async fn hop(&self) {
        let (least, most) = self.world.pace;
        sleep(self.world.dice.millis(least, most)).await;
        if self.world.is_hit(20) {
            let late = self.world.dice.millis(1_000, 45_000);
            self.world
                .note(format!("{}: something takes {late:?}", self.name));
            self.world.excuse(Some(&self.name));
            sleep(late).await;
        }
        self.still_alive().await;
    }

    /// Never returns if the process is dead.
    async fn still_alive(&self) {
        if self.death.is_cancelled() {
            pending::<()>().await;
        }
    }

    pub async fn read<T, E: From<StoreError>>(
        &self,
        what: &str,
        call: impl Future<Output = Result<T, E>> + Send,
    ) -> Result<T, E> {
        self.hop().await;
        if self.world.is_hit(1) {
            self.world.note(format!("{}: {what} fails", self.name));
            return Err(unavailable().into());
        }
        let done = call.await;
        self.hop().await;
        done
    }

    pub async fn write<T, E: From<StoreError>>(
        &self,
        what: &str,
        call: impl Future<Output = Result<T, E>> + Send,
    ) -> Result<T, E> {
        self.hop().await;
        let fault = self.fault(what, &CALL);
        self.faulty(fault, call).await
    }

    pub async fn commit(
        &self,
        call: impl Future<Output = Result<(), StoreError>> + Send,
    ) -> Result<(), StoreError> {
        self.hop().await;
        let fault = self.fault("a commit", &COMMIT);
        self.faulty(fault, call).await
    }

    fn fault(&self, what: &str, faults: &[Fault]) -> Option<Fault> {
        let fault = self
            .world
            .is_hit(1)
            .then(|| *self.world.dice.pick(faults))?;
        self.world.excuse(Some(&self.name));
        self.world
            .note(format!("{}: {what} is {fault:?}", self.name));
        Some(fault)
    }

    async fn faulty<T, E: From<StoreError>>(
        &self,
        fault: Option<Fault>,
        call: impl Future<Output = Result<T, E>> + Send,
    ) -> Result<T, E> {
        let done = match fault {
            None => call.await,
            Some(Fault::Away) => Err(unavailable().into()),
            Some(Fault::Conflict) => Err(StoreError::Conflict.into()),
            Some(Fault::Locked) => Err(StoreError::Locked("a row".to_owned()).into()),
            Some(Fault::Lost) => Err(StoreError::InDoubt("lost".to_owned()).into()),
            Some(Fault::Unanswered) => {
                call.await?;
                Err(StoreError::InDoubt("lost".to_owned()).into())
            }
        };
        self.hop().await;
        done
    }
}
