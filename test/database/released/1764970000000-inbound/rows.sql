INSERT INTO early_receipt (id, agent_id, line_id, provider_id, status, at, error_text, created_at, due_at)
  SELECT '018f0000-0000-7000-8000-000000000101', id, '018f0000-0000-7000-8000-0000000000f1', 'SM-1', 'delivered', '2026-01-01T00:00:00.000Z', NULL, '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:01.000Z' FROM agent ORDER BY id LIMIT 1;
