INSERT INTO webhook_endpoint (id, organization_id, agent_id, url, description, types, state, disabled_reason, failing_since, secret_generation, previous_until, created_at, updated_at, deleted_at)
  SELECT '018f0000-0000-7000-8000-0000000000f2', organization_id, id, 'https://events.example.com/', NULL, NULL, 'disabled', 'requested', NULL, 1, NULL, '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z', NULL FROM agent ORDER BY id LIMIT 1;
INSERT INTO webhook_cursor (endpoint_id, agent_id, position)
  SELECT '018f0000-0000-7000-8000-0000000000f2', id, 1 FROM agent ORDER BY id LIMIT 1;
INSERT INTO webhook_delivery (id, endpoint_id, agent_id, position, event_id, type, subject, lane_id, state, attempts, not_before, last_status, last_error, last_duration_ms, created_at, delivered_at)
  SELECT '018f0000-0000-7000-8000-0000000000f3', '018f0000-0000-7000-8000-0000000000f2', id, 1, '018f0000-0000-7000-8000-0000000000e1', 'line.paused', 'line:018f0000-0000-7000-8000-0000000000f1', '018f0000-0000-5000-8000-0000000000f4', 'delivered', 1, NULL, 200, NULL, 12, '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:01.000Z' FROM agent ORDER BY id LIMIT 1;
