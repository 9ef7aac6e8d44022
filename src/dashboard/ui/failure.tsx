import { Button } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { Link } from "wouter";
import { ApiError, isServerError, sentenceOf } from "../api/api-error";
import styles from "./failure.module.css";
import { Notice } from "./notice";

/**
 * An error message. If the server is at fault, shows the request ID to quote to an administrator. Links to the
 * conversation that the error is about, if any.
 * @param retry retries without waiting for the next poll
 * @param alone true if the shell does not already show that the server is unreachable
 */
export function Failure(props: { error: unknown; retry?: () => unknown; alone?: boolean }) {
  const { error, retry, alone = false } = props;
  if (!alone && retry !== undefined && error instanceof ApiError && error.code === "unreachable") {
    return <p className={styles.waiting}>Waiting for the server…</p>;
  }
  const requestId = error instanceof ApiError && isServerError(error) ? error.requestId : undefined;
  const conversationId = error instanceof ApiError ? error.conversationId : undefined;
  return (
    <Notice tone="bad" role="alert" icon={IconAlertTriangle}>
      <p className={styles.sentence}>{sentenceOf(error, { polled: retry !== undefined })}</p>
      {conversationId !== undefined && (
        <Link href={`/conversations/${conversationId}`}>Open that conversation</Link>
      )}
      {requestId !== undefined && (
        <p className={styles.request}>
          Request ID <code>{requestId}</code>
        </p>
      )}
      {retry !== undefined && (
        <Button size="xs" variant="default" mt="sm" onClick={() => void retry()}>
          Try again
        </Button>
      )}
    </Notice>
  );
}

/** A full-page error, for when nothing else can be shown. */
export const FailedPage = ({ error, retry }: { error: unknown; retry: () => unknown }) => (
  <main className={styles.page}>
    <h1 className={styles.title}>The dashboard can’t be loaded</h1>
    <Failure error={error} retry={retry} alone />
  </main>
);
