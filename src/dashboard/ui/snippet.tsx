import { Button } from "@mantine/core";
import { useCopy } from "./copy";
import { Icon } from "./icon";
import styles from "./snippet.module.css";

/**
 * A text to take away, with its button.
 * @param what it is, as its button says for screen readers
 * @param autoFocus whether a dialog puts the focus on its button
 * @param onCopy called each time it was copied, by button or by hand
 */
export function Snippet(props: { text: string; what: string; autoFocus?: boolean; onCopy?: () => void }) {
  const { text, what, onCopy } = props;
  const { outcome, copy } = useCopy();
  return (
    <div className={styles.snippet}>
      <pre className={styles.text} onCopy={onCopy}>
        {text}
      </pre>
      <Button
        size="compact-sm"
        variant="default"
        data-autofocus={props.autoFocus || undefined}
        leftSection={<Icon name={outcome === "copied" ? "check" : "copy"} size={15} />}
        aria-label={outcome === "copied" ? undefined : `Copy ${what}`}
        onClick={async () => {
          if (await copy(text)) onCopy?.();
        }}
      >
        {outcome === "copied" ? "Copied" : "Copy"}
      </Button>
      <span role="status" className="visually-hidden">
        {outcome === "copied" && "Copied"}
      </span>
      {outcome === "failed" && (
        <p role="alert" className={styles.failed}>
          The browser does not let this page copy. Select the text and copy it yourself.
        </p>
      )}
    </div>
  );
}
