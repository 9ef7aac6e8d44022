CREATE TABLE "decision" ("id" varchar(36) NOT NULL, "agent_id" varchar(36) NOT NULL, "contact_id" varchar(36), "conversation_id" varchar(36), "situation" text NOT NULL, "snapshot" text, "configuration_version" integer NOT NULL, "decider" varchar(8) NOT NULL, "state" varchar(8) NOT NULL, "outcome" varchar(8), "rule_id" varchar(63), "effects" text NOT NULL, "explanation" text, "created_at" varchar(24) NOT NULL, "decided_at" varchar(24), CONSTRAINT "FK_74651038edef23919a718ce7f29" FOREIGN KEY ("agent_id") REFERENCES "agent" ("id"), CONSTRAINT "PK_fa4cbd6abf1215054f13c27df5a" PRIMARY KEY ("id"));
CREATE INDEX "IDX_c90dd04b9f934089e89bf630e2" ON "decision" ("agent_id", "id");
CREATE INDEX "IDX_a9dbe7229578872719bdb47310" ON "decision" ("conversation_id", "id");
CREATE INDEX "IDX_09fdfb956df18a59fda650370f" ON "decision" ("contact_id", "id");
CREATE INDEX "IDX_c0eafa58cbe9bc7cc8efe043a0" ON "decision" ("created_at");
CREATE TABLE "rule_match" ("subject_id" varchar(36) NOT NULL, "rule_id" varchar(63) NOT NULL, "matched_at" varchar(24) NOT NULL, CONSTRAINT "PK_1a23921769f605eb5cdfba9fff4" PRIMARY KEY ("subject_id", "rule_id"));
CREATE INDEX "IDX_d45a7095edc4d15639a70bf433" ON "rule_match" ("matched_at");
ALTER TABLE "message" ADD COLUMN "decision_id" varchar(36);
