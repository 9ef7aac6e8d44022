import { Button, Skeleton } from "@mantine/core";
import { useImperativeHandle, useRef, useState } from "react";
import { loaded } from "../loaded";
import styles from "./configuration.module.css";
import type { EditorHandle, EditorProps, Mark } from "./editor/editor";

const { component: Editor, load } = loaded(async () => (await import("./editor/editor")).Editor);

/** Whether the device is used by touch alone. Most visits from one only read, and the editor is most of the page's code. */
const isTouchOnly = matchMedia("(hover: none) and (pointer: coarse)").matches;

/** Loads the editor, where it is shown without being asked for. */
export const preloadEditor = (): void => void (isTouchOnly || load());

/**
 * An editor of a JSON text; on touch screens, the text until it is tapped.
 * @param isPending whether what the editor needs is still being loaded
 */
export function JsonField({
  ref,
  isPending = false,
  ...props
}: Omit<EditorProps, "description" | "className" | "focusOn"> & { isPending?: boolean }) {
  // What to go to in the editor that a tap opened.
  const [openedFor, openFor] = useState<Mark | "start">();
  const isOpen = !isTouchOnly || openedFor !== undefined;
  const editor = useRef<EditorHandle>(null);
  useImperativeHandle(ref, () => ({
    show: (mark) => (isOpen ? editor.current?.show(mark) : openFor(mark)),
  }));
  if (!isOpen) {
    return (
      // biome-ignore lint/a11y/useKeyWithClickEvents: the button does the same
      <section aria-label={props.label} className={styles.reading} onClick={() => openFor("start")}>
        <pre>{props.text}</pre>
        <Button size="xs" variant="default">
          {props.isReadOnly ? "Open" : "Edit"}
        </Button>
      </section>
    );
  }
  const skeleton = <Skeleton className={styles.editor} radius={0} />;
  if (isPending) return skeleton;
  return (
    <Editor
      {...props}
      ref={editor}
      className={styles.editor}
      description="Press Escape, then Tab, to leave the editor."
      focusOn={openedFor}
      fallback={skeleton}
    />
  );
}
