CREATE TABLE "event" ("agent_id" varchar(36) NOT NULL, "position" bigint NOT NULL, "id" varchar(36) NOT NULL, "type" varchar(32) NOT NULL, "subject" varchar(50) NOT NULL, "data" text NOT NULL, "created_at" varchar(24) NOT NULL, CONSTRAINT "PK_4cf7126e110dcdc7cb92fa28938" PRIMARY KEY ("agent_id", "position"));
CREATE INDEX "event_of_contact" ON "event" ("subject") WHERE type LIKE 'contact.%';
CREATE INDEX "IDX_f0e0f3ea08224cc8c0ef1c7ae8" ON "event" ("created_at");
CREATE TABLE "agent_stream" ("agent_id" varchar(36) NOT NULL, "last" bigint NOT NULL, CONSTRAINT "PK_32a7178a3a954c46badd715fb4f" PRIMARY KEY ("agent_id"));
