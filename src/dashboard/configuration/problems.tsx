import { IconAlertTriangle, IconCircleCheck, IconCircleX } from "@tabler/icons-react";
import { Icon } from "../ui/icon";
import styles from "./configuration.module.css";
import { lineAndColumn } from "./document-text";
import type { Mark } from "./editor/editor";

/** The problems in a document, each with a button that jumps to its position. */
export function Problems(props: {
  marks: readonly Mark[];
  /** The text, to look up line numbers. */
  text?: string;
  isChecking?: boolean;
  onShow?: (mark: Mark) => void;
}) {
  const { marks, text = "", isChecking = false, onShow } = props;
  return (
    <div className={styles.problems}>
      <p role="status" className={styles.summary} data-checking={isChecking}>
        {marks.length === 0 && <Icon of={IconCircleCheck} size={16} />}
        {summaryOf(marks)}
      </p>
      {marks.length > 0 && <MarkList label="Problems" marks={marks} text={text} onShow={onShow} />}
    </div>
  );
}

/** Problems and warnings, each with its position. */
export const MarkList = (props: {
  label: string;
  marks: readonly Mark[];
  text?: string | undefined;
  onShow?: ((mark: Mark) => void) | undefined;
}) => {
  const { label, marks, text = "", onShow } = props;
  return (
    <ul aria-label={label}>
      {marks.map((mark) => (
        <li key={`${mark.severity} ${mark.path} ${mark.message} ${mark.position?.column}`}>
          <span className={styles.severity} data-severity={mark.severity}>
            <Icon of={mark.severity === "error" ? IconCircleX : IconAlertTriangle} size={16} />
            <span className="visually-hidden">{mark.severity === "error" ? "Problem" : "Warning"}</span>
          </span>
          <span className={styles.problem}>
            {onShow ? (
              <button type="button" className={styles.place} onClick={() => onShow(mark)}>
                {placeOf(mark, text)}
              </button>
            ) : (
              <code>{placeOf(mark, text)}</code>
            )}{" "}
            {/* Only the first line: the server's message also marks the position in the source with a caret. */}
            <span className={styles.message}>{afterPlace(mark)}</span>
          </span>
        </li>
      ))}
    </ul>
  );
};

function summaryOf(marks: readonly Mark[]): string {
  const count = (severity: Mark["severity"], name: string) => {
    const found = marks.filter((mark) => mark.severity === severity).length;
    return found === 0 ? [] : [`${found} ${name}${found === 1 ? "" : "s"}`];
  };
  const found = [...count("error", "problem"), ...count("warning", "warning")];
  return found.length === 0 ? "No problems" : found.join(", ");
}

/** Returns the message's first line, worded to follow its position in a sentence. */
function afterPlace({ message, isSyntax }: Mark): string {
  const [line = ""] = message.split("\n");
  return isSyntax ? line : `${line.charAt(0).toLowerCase()}${line.slice(1)}`;
}

function placeOf({ path, position, isSyntax, offset }: Mark, text: string): string {
  if (isSyntax && offset === undefined) return "syntax";
  if (offset !== undefined) return `line ${lineAndColumn(text, offset).line}`;
  const place = path === "" ? "document" : path;
  if (!position) return place;
  return `${place}, ${position.line > 1 ? `line ${position.line}, ` : ""}column ${position.column}`;
}
