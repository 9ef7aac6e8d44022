ALTER TABLE "api_key" ADD "scopes" text;
