-- A subscriber with everything set, one with as little as can be, one whom nobody has reported,
-- and one on the way to the new account.

INSERT INTO subscribers
    (id, version, email, reported_at, name, country,
     membership_plan_category, membership_status, membership_expires_at, status,
     migrated_at, migration_source, migration_arrived,
     migration_token,
     told, updated_at)
VALUES
    (x'01900000000070008000000000000401', 3, 'o''brien+news@xn--exmple-cua.com',
     1772366400123456, 'Åsa ''Ann'' O"Brien', 'Norway',
     'individual', 'canceled', '2026-12-31', 'unsubscribed',
     1772370000123456, 'email_confirmation', 1,
     '0000000000000000000000000000000000000000401',
     x'a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5',
     1772373600123456),
    (x'01900000000070008000000000000402', 1, 'bare@example.com',
     1772366400123456, NULL, NULL,
     NULL, NULL, NULL, 'active',
     NULL, NULL, 0,
     '0000000000000000000000000000000000000000402',
     NULL, 1772366400123456),
    (x'01900000000070008000000000000403', 1, 'unreported@example.com',
     NULL, NULL, NULL,
     NULL, NULL, NULL, 'spam_reported',
     NULL, NULL, 0,
     '0000000000000000000000000000000000000000403',
     NULL, 1772366400123456),
    (x'01900000000070008000000000000404', 2, 'moving@example.com',
     1772366400123456, NULL, NULL,
     'team', 'active', NULL, 'active',
     1772366400123456, 'launch', 0,
     '0000000000000000000000000000000000000000404',
     NULL, 1772366400123456);

-- The old account is leased.
INSERT INTO account_leases (account, holder, ends_at) VALUES
    ('old', x'01900000000070008000000000000405', 1772370000123456);

-- The old account is left alone, and its list was read.
INSERT INTO account_states (account, paused_until, pause_reason, reconciled_at) VALUES
    ('old', 1772370000123456, 'old account: 429', 1772370000123456);

-- What an operator did.
INSERT INTO audit (id, at, operator, action, subject, details) VALUES
    (x'01900000000070008000000000000408', 1772366400123456, 'ann', 'subscribers.suppress',
     '01900000-0000-7000-8000-000000000401', '{"reason":"asked by ''phone''"}');

-- An address that is to go, and what is remembered of one that is gone.
INSERT INTO subscribers
    (id, version, email, status, departure, moved_to, migration_arrived, migration_token, updated_at)
VALUES
    (x'01900000000070008000000000000407', 1, 'left@example.com', 'bounced', 'moved',
     x'01900000000070008000000000000402', 0, 'departed 407', 1772366400123456);
UPDATE erasure_keys
    SET key = x'a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5';
INSERT INTO erased_suppressions (hash, status, at) VALUES
    (x'b9e4b39687e589449f1e4ad97710ede6c6a1a7a6dcd642708faabb747ab56464', 'bounced',
     1772366400123456);

-- In the order of their ids, from 6: a sync that failed twice, one that waits, a move whose
-- worker died, and an event that was given up.
INSERT INTO outbox
    (kind, subject, account, generation, attempts, next_at, lease,
     first_failed_at, last_error, dead_at, created_at,
     event_name, source_identifier, occurred_at)
VALUES
    ('sync', x'01900000000070008000000000000401', 'new', 4, 2, 1772366460123456, NULL,
     1772366400123456, 'no answer', NULL, 1772366400123456,
     NULL, NULL, NULL),
    ('sync', x'01900000000070008000000000000402', 'old', 1, 0, 1772366400123456, NULL,
     NULL, NULL, NULL, 1772366400123456,
     NULL, NULL, NULL),
    ('migrate', x'01900000000070008000000000000404', NULL, 1, 1, 1772366520123456, x'01900000000070008000000000000300',
     NULL, NULL, NULL, 1772366400123456,
     NULL, NULL, NULL),
    ('event', x'01900000000070008000000000000401', NULL, 1, 7, 1772370000123456, NULL,
     1772366400123456, 'no listener', 1772370000123456, 1772366400123456,
     'IndividualMembershipUpdated', NULL, 1772366400123456);
