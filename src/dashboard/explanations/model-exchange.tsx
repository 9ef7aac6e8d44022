import { Time } from "../ui/format";
import type { ExchangeFragment } from "./documents.generated";
import styles from "./explanations.module.css";

/**
 * The instructions, texts and earlier messages sent to the model, and its answer, each shown on demand.
 * @param isPlanned true if the model has not been asked yet
 */
export function ModelExchange(props: { exchange: ExchangeFragment; isPlanned?: boolean }) {
  const { exchange, isPlanned = false } = props;
  const { instructions, texts, history, answer } = exchange;
  return (
    <div className={styles.body}>
      <p>
        The model {isPlanned ? "gets" : "got"} the situation, the contact and the conversation as data, never
        as instructions. Some of the text below was written by contacts.
      </p>
      <Folded label="Instructions" text={instructions} />
      {texts.map(({ name, text }) => (
        <Folded key={name} label={`Text “${name}”`} text={text} />
      ))}
      {history.length > 0 && (
        <details className={styles.note}>
          <summary>Earlier messages ({history.length})</summary>
          <ol>
            {history.map(({ author, text, createdAt, isCut }, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a record never changes, and messages may repeat
              <li key={i}>
                {author}, <Time value={createdAt} />: <bdi>{text}</bdi>
                {isCut && " … (shortened)"}
              </li>
            ))}
          </ol>
        </details>
      )}
      {answer !== null && <Folded label="Answer" text={answer} />}
      {answer === null && !isPlanned && <p>No answer is recorded.</p>}
    </div>
  );
}

const Folded = ({ label, text }: { label: string; text: string }) => (
  <details className={styles.note}>
    <summary>{label}</summary>
    <p className={styles.text} dir="auto">
      {text}
    </p>
  </details>
);
