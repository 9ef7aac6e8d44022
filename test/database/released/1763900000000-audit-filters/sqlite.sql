CREATE INDEX "IDX_abedc2107fac873c1c8ac76bc8" ON "audit_entry" ("organization_id", "target_id", "id");
CREATE INDEX "IDX_461bc27121551361ca529e522d" ON "audit_entry" ("organization_id", "actor_id", "id");
CREATE INDEX "IDX_044b6640767d09b5b6f4babc58" ON "audit_entry" ("organization_id", "action", "id");
DROP INDEX "IDX_fe0ed6c32ab13fbc8d8f557e8a";
