import { Button } from "@mantine/core";
import { IconCheck, IconCopy } from "@tabler/icons-react";
import { useCopy } from "./copy";
import { Icon } from "./icon";
import styles from "./snippet.module.css";

/**
 * Text with a copy button.
 * @param what names the text in the button's label
 * @param autoFocus true if a dialog focuses the button first
 * @param onCopy called each time the text is copied, with the button or manually
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
        leftSection={<Icon of={outcome === "copied" ? IconCheck : IconCopy} size={15} />}
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
          Couldn’t copy. Select the text and copy it manually.
        </p>
      )}
    </div>
  );
}
