use kernel::testing::MemoryStore;

access::contract_suite!(pollster::block_on, async { ((), MemoryStore::new()) });
