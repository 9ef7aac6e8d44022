import { type MigrationInterface, type QueryRunner, TableIndex } from "typeorm";

const BY_ACTIVITY = new TableIndex({
  name: "conversation_activity",
  columnNames: ["agent_id", "updated_at", "id"],
});

/** Lists the conversations of an agent by their last activity. */
export class ConversationActivity1764980000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.createIndex("conversation", BY_ACTIVITY);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropIndex("conversation", BY_ACTIVITY);
  }
}
