DROP TABLE audit;
DROP TABLE account_states;
DROP TABLE account_leases;
DROP TABLE subscribers;
