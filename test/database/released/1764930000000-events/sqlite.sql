CREATE TABLE "event" ("agent_id" varchar(36) NOT NULL, "position" integer NOT NULL, "id" varchar(36) NOT NULL, "type" varchar(32) NOT NULL, "subject" varchar(50) NOT NULL, "data" text NOT NULL, "created_at" varchar(24) NOT NULL, PRIMARY KEY ("agent_id", "position"));
CREATE INDEX "event_of_contact" ON "event" ("subject") WHERE type LIKE 'contact.%';
CREATE INDEX "IDX_f0e0f3ea08224cc8c0ef1c7ae8" ON "event" ("created_at");
CREATE TABLE "agent_stream" ("agent_id" varchar(36) PRIMARY KEY NOT NULL, "last" integer NOT NULL);
