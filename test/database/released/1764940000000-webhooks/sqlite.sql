CREATE TABLE "webhook_endpoint" ("id" varchar(36) PRIMARY KEY NOT NULL, "organization_id" varchar(36) NOT NULL, "agent_id" varchar(36), "url" text NOT NULL, "description" varchar(200), "types" text, "state" varchar(16) NOT NULL, "disabled_reason" varchar(16), "failing_since" varchar(24), "secret_generation" integer NOT NULL, "previous_until" varchar(24), "created_at" varchar(24) NOT NULL, "updated_at" varchar(24) NOT NULL, "deleted_at" varchar(24));
CREATE INDEX "IDX_e5800fed79898bb7202e931227" ON "webhook_endpoint" ("organization_id");
CREATE TABLE "webhook_cursor" ("endpoint_id" varchar(36) NOT NULL, "agent_id" varchar(36) NOT NULL, "position" integer NOT NULL, PRIMARY KEY ("endpoint_id", "agent_id"));
CREATE TABLE "webhook_delivery" ("id" varchar(36) PRIMARY KEY NOT NULL, "endpoint_id" varchar(36) NOT NULL, "agent_id" varchar(36) NOT NULL, "position" integer NOT NULL, "event_id" varchar(36) NOT NULL, "type" varchar(32) NOT NULL, "subject" varchar(50) NOT NULL, "lane_id" varchar(36) NOT NULL, "state" varchar(16) NOT NULL, "attempts" integer NOT NULL, "not_before" varchar(24), "last_status" integer, "last_error" text, "last_duration_ms" integer, "created_at" varchar(24) NOT NULL, "delivered_at" varchar(24));
CREATE UNIQUE INDEX "IDX_9ed7554dd88c137ab0eab5c7f0" ON "webhook_delivery" ("endpoint_id", "event_id");
CREATE INDEX "IDX_a1bc8e4b7660989684fec1340e" ON "webhook_delivery" ("endpoint_id", "id");
CREATE INDEX "IDX_21f7fa5c37d2fc7b7c914826bb" ON "webhook_delivery" ("endpoint_id", "state", "id");
CREATE INDEX "IDX_21c4cdc1b95cc7355de35c6cd5" ON "webhook_delivery" ("lane_id", "state", "position");
CREATE INDEX "IDX_e7f1f015b5fb94734aaa5933e6" ON "webhook_delivery" ("created_at");
