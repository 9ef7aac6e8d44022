import { Modal } from "@mantine/core";
import { type ReactNode, useEffect, useState } from "react";
import styles from "./dialog.module.css";

/**
 * A dialog that opens when it is mounted. When it closes, the focus returns to where it was, or to the heading of the
 * page if that element is gone.
 * @param mayClose called before the user closes it in any way
 * @param onClosed called after the closing transition, to unmount it
 */
export function Dialog(props: {
  title: string;
  size?: string;
  mayClose?: () => boolean;
  onClosed: () => void;
  children: (close: () => void) => ReactNode;
}) {
  const [opened, setOpened] = useState(false);
  useEffect(() => setOpened(true), []);
  useEffect(returnFocus, []);
  const close = () => {
    if (props.mayClose?.() ?? true) setOpened(false);
  };
  return (
    <Modal.Root
      opened={opened}
      onClose={close}
      onExitTransitionEnd={props.onClosed}
      size={props.size ?? "md"}
      centered
      lockScroll={false}
      returnFocus={false}
      transitionProps={{ duration: 120, transition: "fade" }}
    >
      <Modal.Overlay />
      <Modal.Content classNames={{ inner: styles.inner }}>
        {/* Not Modal.Header, which would be a second banner landmark. */}
        <div className={styles.header}>
          <Modal.Title className={styles.title}>{props.title}</Modal.Title>
          <Modal.CloseButton aria-label="Close" />
        </div>
        <Modal.Body>{props.children(() => setOpened(false))}</Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}

/** Returns the focus, unless another dialog has it by then. */
function returnFocus() {
  const from = document.activeElement;
  return () => {
    if (document.activeElement !== document.body) return;
    const target = from?.isConnected && from !== document.body ? from : document.querySelector("h1");
    if (target instanceof HTMLElement) target.focus({ preventScroll: true });
  };
}

/** The row of buttons at the end of a dialog. */
export const DialogButtons = ({ children }: { children: ReactNode }) => (
  <div className={styles.buttons}>{children}</div>
);
