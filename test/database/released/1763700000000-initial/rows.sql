INSERT INTO organization (id, slug, name, deactivated_at, created_at) VALUES
  ('01a1f000-0000-7000-8000-000000000001', 'first', 'First organization', NULL, '2026-01-02T03:04:05.678Z'),
  ('01a1f000-0000-7000-8000-000000000002', 'asleep', 'Æsleep "Ltd" 日本', '2026-02-01T00:00:00.000Z', '2026-01-02T03:04:05.679Z');
INSERT INTO agent (id, organization_id, slug, name, created_at) VALUES
  ('01a1f000-0000-7000-8000-000000000011', '01a1f000-0000-7000-8000-000000000001', 'first-agent', 'First agent', '2026-01-02T03:04:05.680Z'),
  ('01a1f000-0000-7000-8000-000000000012', '01a1f000-0000-7000-8000-000000000002', 'other-agent', 'Other agent', '2026-01-02T03:04:05.681Z');
INSERT INTO member (id, organization_id, email, password_hash, permissions, created_at) VALUES
  ('01a1f000-0000-7000-8000-000000000021', '01a1f000-0000-7000-8000-000000000001', 'owner@example.com', '$argon2id$v=19$m=19456,t=2,p=1$hjGUwcXoi22RhahLAqKxJA$fffgBI5fX47IKCp015QbrfEegA0cQ690+bUUe/BfHj8', 'config:manage', '2026-01-02T03:04:05.682Z'),
  ('01a1f000-0000-7000-8000-000000000022', '01a1f000-0000-7000-8000-000000000001', 'reader@example.com', '$argon2id$v=19$m=19456,t=2,p=1$hjGUwcXoi22RhahLAqKxJA$fffgBI5fX47IKCp015QbrfEegA0cQ690+bUUe/BfHj8', '', '2026-01-02T03:04:05.683Z');
INSERT INTO session (id, member_id, token_hash, created_at, expires_at) VALUES
  ('01a1f000-0000-7000-8000-000000000031', '01a1f000-0000-7000-8000-000000000021', '5d72913a8e3609a9ee7b46d7aa8ff690379770226e7fd43082590d7759ff0a7a', '2026-01-02T03:04:05.684Z', '2999-01-02T15:04:05.684Z');
INSERT INTO sign_in_throttle (bucket, attempts, window_ends_at) VALUES
  ('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855', 3, '2999-01-02T03:19:05.685Z');
INSERT INTO api_key (id, organization_id, agent_id, name, held_name, search_text, hint, hash, created_at, created_by, expires_at, revoked_at, replaced_by_id, last_used_at, last_used_ip) VALUES
  ('01a1f000-0000-7000-8000-000000000041', '01a1f000-0000-7000-8000-000000000001', '01a1f000-0000-7000-8000-000000000011', 'First key', 'First key', 'first key agk_dev_pwtclzga9eib', 'agk_dev_PWTCLzGa9eiB', 'ad20966354b1a63f40f962077e464a6c4e877632d42f97cd04edeb37440052ba', '2026-01-02T03:04:05.686Z', NULL, NULL, NULL, NULL, '2026-01-03T00:00:00.000Z', '127.0.0.1'),
  ('01a1f000-0000-7000-8000-000000000042', '01a1f000-0000-7000-8000-000000000001', '01a1f000-0000-7000-8000-000000000011', 'Old key', NULL, 'old key agk_dev_000000000000', 'agk_dev_000000000000', '0000000000000000000000000000000000000000000000000000000000000000', '2026-01-02T03:04:05.687Z', 'owner@example.com', '2027-01-02T03:04:05.687Z', '2026-01-04T00:00:00.000Z', '01a1f000-0000-7000-8000-000000000041', NULL, NULL);
INSERT INTO hourly_use (key_id, hour, accepted, refused) VALUES
  ('01a1f000-0000-7000-8000-000000000041', '2026-01-03T00:00:00.000Z', 12, 0),
  ('01a1f000-0000-7000-8000-000000000042', '2026-01-04T01:00:00.000Z', 0, 7);
INSERT INTO pet (name, category_id, status) VALUES
  ('Rex', 1, 'available'),
  ('Tom''s 🐈', -9223372036854775808, NULL),
  ('Ivy', 9223372036854775807, 'sold');
INSERT INTO message (id, agent_id, message, status, created_at) VALUES
  ('01a1f000-0000-7000-8000-000000000051', '01a1f000-0000-7000-8000-000000000011', 'Hello', 'queued', '2026-01-02T03:04:05.688Z');
INSERT INTO audit_entry (id, organization_id, action, actor_kind, actor_id, actor_name, target_id, target_name, detail, ip, user_agent, request_id, count, counted_as, created_at) VALUES
  ('01a1f000-0000-7000-8000-000000000061', '01a1f000-0000-7000-8000-000000000001', 'api_key_created', 'operator', NULL, 'command line', '01a1f000-0000-7000-8000-000000000041', 'First key', NULL, NULL, NULL, NULL, 1, NULL, '2026-01-02T03:04:05.689Z'),
  ('01a1f000-0000-7000-8000-000000000062', '01a1f000-0000-7000-8000-000000000001', 'api_key_refused', 'agent', '01a1f000-0000-7000-8000-000000000042', 'agk_dev_000000000000', '01a1f000-0000-7000-8000-000000000042', 'Old key', NULL, '192.0.2.1', 'curl/8', 'request-1', 7, 'refused:01a1f000-0000-7000-8000-000000000042:2026-01-04T01:00', '2026-01-04T01:00:00.000Z');
INSERT INTO idempotency_record (scope, "key", request_hash, resource_id, created_at) VALUES
  ('createPet:01a1f000-0000-7000-8000-000000000011', '1111111111111111111111111111111111111111111111111111111111111111', '2222222222222222222222222222222222222222222222222222222222222222', '1', '2026-01-02T03:04:05.690Z');
