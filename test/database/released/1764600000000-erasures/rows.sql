INSERT INTO erasure (contact_id, started_at) VALUES
  ('01a1f000-0000-7000-8000-000000000072', '2026-01-03T00:00:00.000Z');
INSERT INTO message (id, agent_id, message, status, created_at, held_reason) VALUES
  ('01a1f000-0000-7000-8000-000000000093', '01a1f000-0000-7000-8000-000000000011', 'Imported', 'queued', '2026-01-02T03:04:05.695Z', 'imported');
