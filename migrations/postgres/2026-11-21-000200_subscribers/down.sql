DROP TABLE audit;
DROP TABLE erasure_keys;
DROP TABLE erased_suppressions;
DROP TABLE account_states;
DROP TABLE account_leases;
DROP TABLE subscribers;
