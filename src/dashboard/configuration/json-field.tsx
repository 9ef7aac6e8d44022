import { Button, Skeleton } from "@mantine/core";
import { type MouseEvent, useImperativeHandle, useRef, useState } from "react";
import { Failure } from "../ui/failure";
import { loaded } from "../ui/loaded";
import styles from "./configuration.module.css";
import type { EditorHandle, EditorProps, Mark } from "./editor/editor";

const { component: Editor, load } = loaded(async () => (await import("./editor/editor")).Editor);

/**
 * Touch-only devices load the editor on demand, because they are mostly used for reading and the editor is most of the
 * page's code.
 */
const isTouchOnly = matchMedia("(hover: none) and (pointer: coarse)").matches;

/** Loads the editor unless it is shown only after a tap. */
export const preloadEditor = (): void => void (isTouchOnly || load());

/**
 * An editor for JSON; on touch screens, plain text until it is tapped.
 * @param isPending true while the editor's data is loading
 */
export function JsonField({
  ref,
  isPending = false,
  ...props
}: Omit<EditorProps, "description" | "className" | "focusOn"> & { isPending?: boolean }) {
  // The position where a tap opened the editor.
  const [openedFor, openFor] = useState<Mark | number>();
  const isOpen = !isTouchOnly || openedFor !== undefined;
  const editor = useRef<EditorHandle>(null);
  useImperativeHandle(ref, () => ({
    show: (mark) => (isOpen ? editor.current?.show(mark) : openFor(mark)),
  }));
  if (!isOpen) {
    const verb = props.isReadOnly ? "Open" : "Edit";
    const openAtTap = ({ currentTarget, clientX, clientY }: MouseEvent) => {
      // A tap may also end a text selection.
      if (getSelection()?.isCollapsed === false) return;
      openFor(offsetAt(currentTarget.querySelector("pre")?.firstChild, clientX, clientY));
    };
    return (
      // biome-ignore lint/a11y/useKeyWithClickEvents: the button does the same
      <section aria-label={props.label} className={styles.reading} onClick={openAtTap}>
        <Button size="xs" variant="default" aria-label={`${verb}: ${props.label}`}>
          {verb}
        </Button>
        <pre>{props.text}</pre>
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
      failed={<Failure error={undefined} retry={() => location.reload()} alone />}
      description="Press Escape, then Tab, to leave the editor."
      focusOn={openedFor}
      fallback={skeleton}
    />
  );
}

/** Returns the text offset at a point; 0 if the point is not within the text. */
function offsetAt(text: Node | null | undefined, x: number, y: number): number {
  // Safari has only the older function.
  const at =
    "caretPositionFromPoint" in document
      ? document.caretPositionFromPoint(x, y)
      : (document as Document).caretRangeFromPoint(x, y);
  if (at === null) return 0;
  const [node, offset] =
    at instanceof Range ? [at.startContainer, at.startOffset] : [at.offsetNode, at.offset];
  return node === text ? offset : 0;
}
