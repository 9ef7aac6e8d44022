import { IconAlertTriangle, IconCheck, IconX } from "@tabler/icons-react";
import { Icon } from "../ui/icon";
import { Tag } from "../ui/tag";
import type { GateName, ReasonsFragment } from "./documents.generated";
import styles from "./explanations.module.css";

type Rule = ReasonsFragment["rules"][number];
type Clause = Rule["clauses"][number];

/** The rules that were tried, in order, with each condition and the values it read. */
export function Rules({ explanation }: { explanation: ReasonsFragment }) {
  const { rules } = explanation;
  if (rules.length === 0) {
    return (
      <p className={styles.body}>
        {isUndecided(explanation)
          ? "No rule was tried."
          : "No rule in the configuration applies to this type of situation."}
      </p>
    );
  }
  return (
    <ol className={styles.rules} aria-label="Rules">
      {rules.map((rule) => (
        <li key={rule.ruleId} className={styles.rule} data-matched={rule.matched}>
          <p className={styles.ruleName}>
            <strong>{rule.ruleId}</strong> <RuleTag rule={rule} />
          </p>
          {rule.spent && (
            <p className={styles.note}>
              Its conditions are met, but it matched recently and can match only once per period (
              <code>once</code>
              ).
            </p>
          )}
          {rule.clauses.length === 0 ? (
            <p className={styles.note}>It has no conditions.</p>
          ) : (
            <ul className={styles.clauses} aria-label={`Conditions of ${rule.ruleId}`}>
              {rule.clauses.map((clause, i) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: an explanation never changes, and conditions may repeat
                <ClauseItem key={i} clause={clause} />
              ))}
            </ul>
          )}
        </li>
      ))}
    </ol>
  );
}

/** Gates that close before the rules are tried, because something has changed; others only hold back effects. */
const CHANGES: ReadonlySet<GateName> = new Set(["organization", "contact", "open", "unchanged"]);

/** True if a decision ended before its rules were tried: its only gate was closed by a change, or it has an error. */
const isUndecided = ({ gates, error }: Pick<ReasonsFragment, "gates" | "error">): boolean =>
  error !== null || (gates.length === 1 && gates.some(({ name, passed }) => !passed && CHANGES.has(name)));

const RuleTag = ({ rule: { matched, spent } }: { rule: Rule }) => {
  if (matched) return <Tag tone="good">Matched</Tag>;
  return spent ? <Tag tone="warn">Matched too recently</Tag> : <Tag tone="plain">Didn’t match</Tag>;
};

function ClauseItem({ clause: { source, value, error, read } }: { clause: Clause }) {
  const outcome =
    error !== null
      ? { icon: IconAlertTriangle, text: "Couldn’t be checked, so it counts as not met:", tone: "failed" }
      : value
        ? { icon: IconCheck, text: "Yes:", tone: "yes" }
        : { icon: IconX, text: "No:", tone: "no" };
  return (
    <li className={styles.clause} data-tone={outcome.tone}>
      <Icon of={outcome.icon} size={16} />
      <div>
        <p>
          <span className="visually-hidden">{outcome.text}</span> <code>{source}</code>
        </p>
        {error !== null && <p className={styles.note}>{error.message}</p>}
        {read.map(({ path, value: was, isCut }, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: an explanation never changes, and a path may repeat
          <p key={i} className={styles.note}>
            <code>{path}</code> was {isCut && was === null ? "too long to show" : <Value value={was} />}
            {isCut && was !== null && " (shortened)"}
          </p>
        ))}
      </div>
    </li>
  );
}

const Value = ({ value }: { value: unknown }) =>
  value === null ? "empty" : <code>{JSON.stringify(value)}</code>;
