import type { MigrationInterface, QueryRunner } from "typeorm";

/**
 * Moves the changes and a key's hint from `detail` to separate columns. Earlier entries have both in `detail` as
 * `<hint>`, `<hint>, now <new name>` or `<hint>, grace of <n> s`; other texts stay there.
 */
export class AuditChanges1764100000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const isPostgres = runner.connection.options.type === "postgres";
    const indexOf = isPostgres ? "strpos" : "instr";
    const hint = `substr(detail, 1, ${indexOf}(detail, ', ') - 1)`;
    const after = (separator: string) =>
      `substr(detail, ${indexOf}(detail, '${separator}') + ${separator.length})`;
    const change = `'field', 'name', 'before', target_name, 'after', ${after(", now ")}`;
    const changes = isPostgres
      ? `json_build_array(json_build_object(${change}))::text`
      : `json_array(json_object(${change}))`;
    const update = (assignments: string, action: string, detail: string) =>
      runner.query(
        `UPDATE "audit_entry" SET ${assignments} WHERE action = '${action}' AND detail LIKE '${detail}'`,
      );

    await runner.query(`ALTER TABLE "audit_entry" ADD COLUMN "changes" text NOT NULL DEFAULT '[]'`);
    await runner.query(`ALTER TABLE "audit_entry" ADD COLUMN "target_hint" varchar(40)`);
    await update(
      `changes = ${changes}, target_hint = ${hint}, detail = NULL`,
      "api_key_renamed",
      "agk_%, now %",
    );
    await update(`target_hint = ${hint}, detail = ${after(", ")}`, "api_key_rotated", "agk_%, grace of % s");
    for (const action of ["api_key_created", "api_key_revoked"])
      await update("target_hint = detail, detail = NULL", action, "agk_%");
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "audit_entry" DROP COLUMN "target_hint"`);
    await runner.query(`ALTER TABLE "audit_entry" DROP COLUMN "changes"`);
  }
}
