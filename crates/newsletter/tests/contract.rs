use newsletter::testing::MemoryStore;

newsletter::contract_suite!(pollster::block_on, async { ((), MemoryStore::new()) });
