INSERT INTO contact (id, agent_id, ref, name, locale, timezone, attributes, version, created_at, updated_at, erased_at) VALUES
  ('01a1f000-0000-7000-8000-000000000071', '01a1f000-0000-7000-8000-000000000011', 'customer-17', 'Anna "Ä" 日本', 'de-CH', 'Europe/Zurich', '{"plan":"pro"}', 3, '2026-01-02T03:04:05.691Z', '2026-01-03T00:00:00.000Z', NULL),
  ('01a1f000-0000-7000-8000-000000000072', '01a1f000-0000-7000-8000-000000000011', NULL, NULL, NULL, NULL, '{}', 2, '2026-01-02T03:04:05.692Z', '2026-01-03T00:00:00.000Z', '2026-01-03T00:00:00.000Z');
INSERT INTO contact_address (id, agent_id, contact_id, kind, address, opted_out_at) VALUES
  ('01a1f000-0000-7000-8000-000000000073', '01a1f000-0000-7000-8000-000000000011', '01a1f000-0000-7000-8000-000000000071', 'email', 'anna@example.com', NULL);
INSERT INTO contact_tag (contact_id, tag, agent_id, added_at, added_by) VALUES
  ('01a1f000-0000-7000-8000-000000000071', 'vip', '01a1f000-0000-7000-8000-000000000011', '2026-01-03T00:00:00.000Z', 'agk_dev_PWTCLzGa9eiB');
INSERT INTO contact_term (contact_id, term, agent_id) VALUES
  ('01a1f000-0000-7000-8000-000000000071', 'customer-17', '01a1f000-0000-7000-8000-000000000011');
