INSERT INTO decision (id, agent_id, situation, effects, configuration_version, decider, state, outcome, created_at)
  SELECT '018f0000-0000-7000-8000-0000000000d1', id, '{"type":"order.shipped","data":{}}', '[]', 1, 'rules', 'decided', 'silent', '2026-01-01T00:00:00.000Z' FROM agent ORDER BY id LIMIT 1;
INSERT INTO rule_match (subject_id, rule_id, matched_at)
  VALUES ('018f0000-0000-7000-8000-0000000000c1', 'vip', '2026-01-01T00:00:00.000Z');
