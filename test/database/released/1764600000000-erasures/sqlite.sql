CREATE TABLE "erasure" ("contact_id" varchar(36) PRIMARY KEY NOT NULL, "started_at" varchar(24) NOT NULL, CONSTRAINT "FK_e8b01fa59397467fd764e39ec99" FOREIGN KEY ("contact_id") REFERENCES "contact" ("id"));
CREATE INDEX "message_imported" ON "message" ("agent_id", "id") WHERE held_reason = 'imported';
