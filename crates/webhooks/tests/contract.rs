use domain::testing::MemoryStore;

webhooks::contract_suite!(pollster::block_on, async { ((), MemoryStore::new()) });
