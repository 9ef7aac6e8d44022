CREATE INDEX "conversation_activity" ON "conversation" ("agent_id", "updated_at", "id");
