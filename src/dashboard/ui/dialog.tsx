import { Button, Modal } from "@mantine/core";
import { type ReactNode, useEffect, useId, useState } from "react";
import styles from "./dialog.module.css";

/**
 * A dialog that opens when it is mounted. When it closes, the focus returns to the element that had it before. If
 * that element is gone, the focus moves to the dialog below or, without one, to the page's heading.
 * @param mayClose called before the user closes the dialog; returns false to keep it open
 * @param onClosed called after the closing transition, to unmount it
 */
export function Dialog(props: {
  title: string;
  size?: string;
  mayClose?: () => boolean;
  /** True if the user may have typed something that a click outside must not discard. */
  isForm?: boolean;
  onClosed: () => void;
  children: (close: () => void) => ReactNode;
}) {
  const [opened, setOpened] = useState(false);
  useEffect(() => setOpened(true), []);
  const id = useId();
  useEffect(() => returnFocus(id), [id]);
  const close = () => {
    // Every open dialog receives the Escape key, but it is meant for the top one.
    if (openDialogs.at(-1)?.id === id && (props.mayClose?.() ?? true)) setOpened(false);
  };
  return (
    <Modal.Root
      opened={opened}
      onClose={close}
      onExitTransitionEnd={props.onClosed}
      size={props.size ?? "md"}
      centered
      closeOnClickOutside={!props.isForm}
      lockScroll={false}
      returnFocus={false}
      transitionProps={{ duration: 120, transition: "fade" }}
    >
      <Modal.Overlay />
      <Modal.Content classNames={{ content: styles.content, inner: styles.inner }}>
        {/* Not Modal.Header, which would be a second banner landmark. */}
        <div className={styles.header}>
          <Modal.Title className={styles.title} title={props.title}>
            {props.title}
          </Modal.Title>
          <Modal.CloseButton aria-label="Close" />
        </div>
        <Modal.Body className={styles.body ?? ""}>{props.children(() => setOpened(false))}</Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}

/** The open dialogs, topmost last. `before` lists the elements to focus when a dialog closes, best first. */
let openDialogs: readonly { id: string; before: readonly (Element | null | undefined)[] }[] = [];

/** Remembers what opened a dialog; the returned function focuses it, unless another element has the focus. */
function returnFocus(id: string) {
  const below = [...document.querySelectorAll("[aria-modal=true]")].at(-1);
  const before = [document.activeElement, below, ...(openDialogs.at(-1)?.before ?? [])];
  openDialogs = [...openDialogs, { id, before }];
  return () => {
    openDialogs = openDialogs.filter((each) => each.id !== id);
    if (document.activeElement !== document.body) return;
    const target = before.find((each) => each?.isConnected && each !== document.body);
    const element = target ?? document.querySelector("h1");
    if (element instanceof HTMLElement) element.focus({ preventScroll: true });
  };
}

/** The row of buttons at the end of a dialog. */
export const DialogButtons = ({ children }: { children: ReactNode }) => (
  <div className={styles.buttons}>{children}</div>
);

/**
 * A dialog that only shows something.
 * @param hasControls true if the content has controls; the focus then starts there rather than on the button
 */
export function InfoDialog(props: {
  title: string;
  size?: string;
  hasControls?: boolean;
  onClosed: () => void;
  children: ReactNode;
}) {
  const { hasControls, children, ...dialog } = props;
  return (
    <Dialog {...dialog}>
      {(close) => (
        <>
          {children}
          <DialogButtons>
            <Button data-autofocus={!hasControls || undefined} onClick={close}>
              {hasControls ? "Done" : "Close"}
            </Button>
          </DialogButtons>
        </>
      )}
    </Dialog>
  );
}
