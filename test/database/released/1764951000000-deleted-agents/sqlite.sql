ALTER TABLE "agent" ADD COLUMN "deleted_at" varchar(24);
ALTER TABLE "agent" ADD COLUMN "purged_at" varchar(24);
