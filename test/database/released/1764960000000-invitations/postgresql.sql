CREATE TABLE "invitation" ("id" varchar(36) NOT NULL, "organization_id" varchar(36) NOT NULL, "email" varchar(254) NOT NULL, "permissions" text NOT NULL, "token_hash" varchar(64) NOT NULL, "invited_by_id" varchar(36), "invited_by" varchar(254) NOT NULL, "created_at" varchar(24) NOT NULL, "expires_at" varchar(24) NOT NULL, CONSTRAINT "UQ_b827d3749ffbb3b5ab5099afd64" UNIQUE ("token_hash"), CONSTRAINT "FK_de7c148c7834d738ac7113f3dd8" FOREIGN KEY ("organization_id") REFERENCES "organization" ("id"), CONSTRAINT "PK_beb994737756c0f18a1c1f8669c" PRIMARY KEY ("id"));
CREATE UNIQUE INDEX "IDX_0d83b1de272a6d77656eeb5bcb" ON "invitation" ("organization_id", "email");
CREATE INDEX "IDX_9fcebfddfa4369ac0e3c26dc8a" ON "invitation" ("invited_by_id");
CREATE INDEX "IDX_3dccb5fa5ad57bcee5ec472d9e" ON "invitation" ("expires_at");
ALTER TABLE "session" ADD COLUMN "ip" varchar(45);
ALTER TABLE "session" ADD COLUMN "user_agent" varchar(200);
