INSERT INTO agent (id, organization_id, slug, name, created_at, deleted_at, purged_at) VALUES
  ('01a1f000-0000-7000-8000-000000000013', '01a1f000-0000-7000-8000-000000000001', 'gone', 'Gone', '2026-01-02T03:04:05.692Z', '2026-01-03T03:04:05.692Z', '2026-01-03T04:04:05.692Z');
