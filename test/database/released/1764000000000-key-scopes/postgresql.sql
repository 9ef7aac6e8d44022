ALTER TABLE "api_key" ADD COLUMN "scopes" text;
