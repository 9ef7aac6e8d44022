INSERT INTO lane (id, agent_id, kind, wake_at) VALUES
  ('01a1f000-0000-7000-8000-000000000081', '01a1f000-0000-7000-8000-000000000011', 'message', '2026-01-05T03:04:05.692Z');
INSERT INTO message (id, agent_id, message, status, created_at, line_id, held_reason, error_code, expires_at, sent_at, delivered_at) VALUES
  ('01a1f000-0000-7000-8000-000000000081', '01a1f000-0000-7000-8000-000000000011', 'Held', 'queued', '2026-01-02T03:04:05.692Z', NULL, 'no_route', NULL, '2026-01-05T03:04:05.692Z', NULL, NULL),
  ('01a1f000-0000-7000-8000-000000000082', '01a1f000-0000-7000-8000-000000000011', 'Sent', 'delivered', '2026-01-02T03:04:05.693Z', '01a1f000-0000-7000-8000-000000000011', NULL, NULL, '2026-01-05T03:04:05.693Z', '2026-01-02T03:04:05.694Z', '2026-01-02T03:04:05.694Z');
INSERT INTO delivery_attempt (message_id, number, started_at, ended_at, outcome) VALUES
  ('01a1f000-0000-7000-8000-000000000082', 1, '2026-01-02T03:04:05.694Z', '2026-01-02T03:04:05.694Z', 'accepted');
