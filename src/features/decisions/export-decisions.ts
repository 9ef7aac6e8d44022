import type { ContactPart } from "../contacts/contact-export";
import { Decision } from "./decision.entity";
import { RuleMatch } from "./rule-match.entity";

/** The decisions about a contact, and the times when rules with `once` last matched for the contact. */
export const decisionParts: readonly ContactPart[] = [
  {
    kind: "decision",
    rows: (reader, contactId) => reader.createQueryBuilder(Decision, "decision").where({ contactId }),
    order: ["decision.id"],
  },
  {
    kind: "rule_match",
    rows: (reader, contactId) =>
      reader
        .createQueryBuilder(RuleMatch, "match")
        .where(
          "match.subject_id IN (SELECT :subjectId UNION ALL SELECT id FROM conversation WHERE contact_id = :contactId)",
          { subjectId: contactId, contactId },
        ),
    order: ["match.subjectId", "match.ruleId"],
  },
];
