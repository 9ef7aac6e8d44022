INSERT INTO event (agent_id, position, id, type, subject, data, created_at)
  SELECT id, 1, '018f0000-0000-7000-8000-0000000000e1', 'line.paused', 'line:018f0000-0000-7000-8000-0000000000f1', '{}', '2026-01-01T00:00:00.000Z' FROM agent ORDER BY id LIMIT 1;
INSERT INTO agent_stream (agent_id, last)
  SELECT id, 1 FROM agent ORDER BY id LIMIT 1;
