use std::sync::atomic::{AtomicUsize, Ordering};

use domain::{
    catalogue::CatalogueLease,
    posting::{Answer, PutPosting},
};
use tokio::time::timeout;

use super::*;
use crate::import::{
    pipeline::BATCH,
    running::{MOST_BYTES, MOST_LINES},
};

#[derive(Default)]
struct Stuck(AtomicUsize);

#[async_trait]
impl Ingest for Stuck {
    async fn put(&self, _: PutPosting) -> Result<Answer, IngestError> {
        Err(IngestError::Overloaded)
    }

    async fn dry_run(&self, _: PutPosting) -> Result<Answer, IngestError> {
        Err(IngestError::Overloaded)
    }

    async fn put_all(
        &self,
        puts: Vec<Arc<PutPosting>>,
        _: bool,
        _: Option<CatalogueLease>,
    ) -> Vec<Result<Answer, IngestError>> {
        self.0.fetch_add(puts.len(), Ordering::SeqCst);
        std::future::pending().await
    }
}

async fn taken(body: &[String]) -> usize {
    let stuck = Arc::<Stuck>::default();
    let kit = Kit::with(|_| Arc::clone(&stuck) as _);
    let mut import = kit.begin(order()).await;
    let taken = import.take(body);
    let taken = timeout(Duration::from_secs(5), taken).await;
    assert!(taken.is_err(), "it takes all of them");
    stuck.0.load(Ordering::SeqCst)
}

#[tokio::test(start_paused = true)]
async fn a_limited_number_of_lines_is_on_the_way() {
    let many: Vec<_> = (0..10_000).map(|n| line(&n.to_string())).collect();
    assert_eq!(taken(&many).await / BATCH, MOST_LINES / BATCH - 1);
}

#[tokio::test(start_paused = true)]
async fn a_limited_size_of_lines_is_on_the_way() {
    let mut many: Vec<_> = (0..20).map(|n| line(&n.to_string())).collect();
    for line in &mut many {
        line.push_str(&" ".repeat((1 << 20) - line.len()));
    }
    assert_eq!(taken(&many).await, MOST_BYTES >> 20);
    let huge = line("a") + &" ".repeat(MOST_BYTES);
    assert_eq!(taken(&[huge.clone(), huge]).await, 1);
}
