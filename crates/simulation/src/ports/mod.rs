mod postings;
mod tasks;

use std::sync::Arc;

use domain::testing::MemoryStore;

use crate::link::Link;

pub struct Port(pub Arc<Link>);

impl Port {
    fn memory(&self) -> &MemoryStore {
        &self.0.world.memory
    }
}

/// Implements a port by `read` or `write` calls to the store in memory, through the link.
macro_rules! behind_the_link {
    ($port:path; $(
        $kind:ident $call:ident($($name:ident: $type:ty),*) -> $result:ty $(=> $judge:expr)?;
    )+) => {
        #[async_trait]
        impl $port for Port {
            $(async fn $call(&self, $($name: $type),*) -> $result {
                let call = <MemoryStore as $port>::$call(self.memory(), $($name),*);
                $(let call = async {
                    let done = call.await?;
                    let judge = $judge;
                    judge(&*self.0, &done).await;
                    Ok(done)
                };)?
                self.0.$kind(stringify!($call), call).await
            })+
        }
    };
}

use behind_the_link;
