ALTER TABLE "api_key" ADD COLUMN "description" varchar(500);
ALTER TABLE "api_key" ADD COLUMN "rate_limit_per_minute" integer;
ALTER TABLE "api_key" ADD COLUMN "allowed_networks" text;
