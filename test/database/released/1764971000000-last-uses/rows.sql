INSERT INTO hourly_use (key_id, hour, accepted, refused, last_used_at, last_used_ip) VALUES
  ('01a1f000-0000-7000-8000-000000000044', '2026-01-02T03:00:00.000Z', 5, 1, '2026-01-02T03:59:59.123Z', '192.0.2.7');
