ALTER TABLE "hourly_use" ADD COLUMN "last_used_at" varchar(24);
ALTER TABLE "hourly_use" ADD COLUMN "last_used_ip" varchar(45);
