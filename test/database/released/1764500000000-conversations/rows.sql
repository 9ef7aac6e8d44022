INSERT INTO conversation (id, agent_id, contact_id, address_id, line_id, state, handler, version, last_sequence, created_at, updated_at) VALUES
  ('01a1f000-0000-7000-8000-000000000091', '01a1f000-0000-7000-8000-000000000011', '01a1f000-0000-7000-8000-000000000071', '01a1f000-0000-7000-8000-000000000073', '01a1f000-0000-7000-8000-000000000011', 'open', 'human', 3, 1, '2026-01-02T03:04:05.693Z', '2026-01-03T00:00:00.000Z');
INSERT INTO message (id, agent_id, message, status, created_at, conversation_id, sequence, direction, author, fence) VALUES
  ('01a1f000-0000-7000-8000-000000000092', '01a1f000-0000-7000-8000-000000000011', 'In a conversation', 'canceled', '2026-01-02T03:04:05.694Z', '01a1f000-0000-7000-8000-000000000091', 1, 'outbound', 'member', 1);
