//! The contract suite on the cache in memory, which has no postings.

use enrichment::testing::MemoryDrafts;

enrichment::contract_suite!(pollster::block_on, async { ((), MemoryDrafts::default()) }; drafts);
