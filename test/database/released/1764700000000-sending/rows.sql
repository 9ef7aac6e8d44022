INSERT INTO line_traffic (line_id, rejections, rate_per_minute, next_at, queued_until)
  SELECT id, 3, 60, 1767225600000.5, 1767225601000.25 FROM line ORDER BY id LIMIT 1;
