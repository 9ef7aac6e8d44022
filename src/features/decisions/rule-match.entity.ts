import { Column, Entity, Index, PrimaryColumn } from "typeorm";
import type { Timestamp } from "../../common/time";
import { TIMESTAMP_COLUMN, UUID_COLUMN } from "../../database/columns";
import { NAME_MAX_LENGTH } from "../configuration/configuration.limits";

/** The last match of a rule with `once`, or of a rule in its group, for a subject. */
@Entity()
@Index(["matchedAt"])
export class RuleMatch {
  /** ID of the contact or conversation, or an ID derived for a group, an expression or a model call. */
  @PrimaryColumn(UUID_COLUMN)
  subjectId!: string;

  @PrimaryColumn({ type: "varchar", length: NAME_MAX_LENGTH })
  ruleId!: string;

  @Column(TIMESTAMP_COLUMN)
  matchedAt!: Timestamp;
}
