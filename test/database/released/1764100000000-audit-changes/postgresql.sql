ALTER TABLE "audit_entry" ADD COLUMN "changes" text NOT NULL DEFAULT '[]';
ALTER TABLE "audit_entry" ADD COLUMN "target_hint" varchar(40);
UPDATE "audit_entry" SET changes = json_build_array(json_build_object('field', 'name', 'before', target_name, 'after', substr(detail, strpos(detail, ', now ') + 6)))::text, target_hint = substr(detail, 1, strpos(detail, ', ') - 1), detail = NULL WHERE action = 'api_key_renamed' AND detail LIKE 'agk_%, now %';
UPDATE "audit_entry" SET target_hint = substr(detail, 1, strpos(detail, ', ') - 1), detail = substr(detail, strpos(detail, ', ') + 2) WHERE action = 'api_key_rotated' AND detail LIKE 'agk_%, grace of % s';
UPDATE "audit_entry" SET target_hint = detail, detail = NULL WHERE action = 'api_key_created' AND detail LIKE 'agk_%';
UPDATE "audit_entry" SET target_hint = detail, detail = NULL WHERE action = 'api_key_revoked' AND detail LIKE 'agk_%';
