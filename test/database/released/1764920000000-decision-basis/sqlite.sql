ALTER TABLE "decision" ADD COLUMN "basis" text;
