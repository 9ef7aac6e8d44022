ALTER TABLE "message" ADD COLUMN "omitted" varchar(500);
CREATE TABLE "early_receipt" ("id" varchar(36) NOT NULL, "agent_id" varchar(36) NOT NULL, "line_id" varchar(36) NOT NULL, "provider_id" varchar(200) NOT NULL, "status" varchar(16) NOT NULL, "at" varchar(24) NOT NULL, "error_text" varchar(500), "created_at" varchar(24) NOT NULL, "due_at" varchar(24) NOT NULL, CONSTRAINT "PK_4a04861f75b5fb8dd1eb0d961ea" PRIMARY KEY ("id"));
CREATE INDEX "IDX_fc75dba1aa15fb5b02e30a7408" ON "early_receipt" ("agent_id");
CREATE INDEX "decision_deciding" ON "decision" ("conversation_id") WHERE state = 'deciding';
