-- A subscriber with everything set, one with as little as can be, one whom nobody has reported,
-- and one on the way to the new account.

INSERT INTO subscribers
    (id, version, email, reported_at, name, country,
     membership_plan_category, membership_status, membership_expires_at, status,
     migrated_at, migration_source, migration_arrived,
     migration_token,
     told, updated_at)
VALUES
    ('01900000-0000-7000-8000-000000000401', 3, 'o''brien+news@xn--exmple-cua.com',
     '2026-03-01 12:00:00.123456+00', 'Åsa ''Ann'' O"Brien', 'Norway',
     'individual', 'canceled', '2026-12-31', 'unsubscribed',
     '2026-03-01 13:00:00.123456+00', 'email_confirmation', true,
     '0000000000000000000000000000000000000000401',
     '\xa5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5',
     '2026-03-01 14:00:00.123456+00'),
    ('01900000-0000-7000-8000-000000000402', 1, 'bare@example.com',
     '2026-03-01 12:00:00.123456+00', NULL, NULL,
     NULL, NULL, NULL, 'active',
     NULL, NULL, false,
     '0000000000000000000000000000000000000000402',
     NULL, '2026-03-01 12:00:00.123456+00'),
    ('01900000-0000-7000-8000-000000000403', 1, 'unreported@example.com',
     NULL, NULL, NULL,
     NULL, NULL, NULL, 'spam_reported',
     NULL, NULL, false,
     '0000000000000000000000000000000000000000403',
     NULL, '2026-03-01 12:00:00.123456+00'),
    ('01900000-0000-7000-8000-000000000404', 2, 'moving@example.com',
     '2026-03-01 12:00:00.123456+00', NULL, NULL,
     'team', 'active', NULL, 'active',
     '2026-03-01 12:00:00.123456+00', 'launch', false,
     '0000000000000000000000000000000000000000404',
     NULL, '2026-03-01 12:00:00.123456+00');

-- The old account is leased.
INSERT INTO account_leases (account, holder, ends_at) VALUES
    ('old', '01900000-0000-7000-8000-000000000405', '2026-03-01 13:00:00.123456+00');

-- The old account is left alone, and its list was read.
INSERT INTO account_states (account, paused_until, pause_reason, reconciled_at) VALUES
    ('old', '2026-03-01 13:00:00.123456+00', 'old account: 429', '2026-03-01 13:00:00.123456+00');

-- What an operator did.
INSERT INTO audit (id, at, operator, action, subject, details) VALUES
    ('01900000-0000-7000-8000-000000000408', '2026-03-01 12:00:00.123456Z', 'ann',
     'subscribers.suppress', '01900000-0000-7000-8000-000000000401',
     '{"reason":"asked by ''phone''"}');

-- An address that is to go, and what is remembered of one that is gone.
INSERT INTO subscribers
    (id, version, email, status, departure, moved_to, migration_arrived, migration_token, updated_at)
VALUES
    ('01900000-0000-7000-8000-000000000407', 1, 'left@example.com', 'bounced', 'moved',
     '01900000-0000-7000-8000-000000000402', false, 'departed 407', '2026-03-01 12:00:00.123456+00');
UPDATE erasure_keys
    SET key = '\xa5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5';
INSERT INTO erased_suppressions (hash, status, at) VALUES
    ('\xb9e4b39687e589449f1e4ad97710ede6c6a1a7a6dcd642708faabb747ab56464', 'bounced',
     '2026-03-01 12:00:00.123456+00');

-- In the order of their ids, from 6: a sync that failed twice, one that waits, a move whose
-- worker died, and an event that was given up.
INSERT INTO outbox
    (kind, subject, account, generation, attempts, next_at, lease,
     first_failed_at, last_error, dead_at, created_at,
     event_name, source_identifier, occurred_at)
VALUES
    ('sync', '01900000-0000-7000-8000-000000000401', 'new', 4, 2, '2026-03-01 12:01:00.123456+00', NULL,
     '2026-03-01 12:00:00.123456+00', 'no answer', NULL, '2026-03-01 12:00:00.123456+00',
     NULL, NULL, NULL),
    ('sync', '01900000-0000-7000-8000-000000000402', 'old', 1, 0, '2026-03-01 12:00:00.123456+00', NULL,
     NULL, NULL, NULL, '2026-03-01 12:00:00.123456+00',
     NULL, NULL, NULL),
    ('migrate', '01900000-0000-7000-8000-000000000404', NULL, 1, 1, '2026-03-01 12:02:00.123456+00', '01900000-0000-7000-8000-000000000300',
     NULL, NULL, NULL, '2026-03-01 12:00:00.123456+00',
     NULL, NULL, NULL),
    ('event', '01900000-0000-7000-8000-000000000401', NULL, 1, 7, '2026-03-01 13:00:00.123456+00', NULL,
     '2026-03-01 12:00:00.123456+00', 'no listener', '2026-03-01 13:00:00.123456+00', '2026-03-01 12:00:00.123456+00',
     'IndividualMembershipUpdated', NULL, '2026-03-01 12:00:00.123456+00');
