import { Alert, Button } from "@mantine/core";
import { ApiError, isOwnMistake, sentenceOf } from "../api/api-error";
import styles from "./failure.module.css";
import { Icon } from "./icon";

/**
 * What went wrong, in words, and what to quote when asking for help.
 * @param retry for what the page asks again by itself, but not at once
 */
export function Failure({ error, retry }: { error: unknown; retry?: () => unknown }) {
  const requestId = error instanceof ApiError && !isOwnMistake(error) ? error.requestId : undefined;
  return (
    <Alert color="red" role="alert" icon={<Icon name="warning" />}>
      <p className={styles.sentence}>{sentenceOf(error, { polled: retry !== undefined })}</p>
      {requestId !== undefined && (
        <p className={styles.request}>
          Request id <code>{requestId}</code>
        </p>
      )}
      {retry !== undefined && (
        <Button size="xs" variant="default" mt="sm" onClick={() => void retry()}>
          Try again
        </Button>
      )}
    </Alert>
  );
}

/** The whole page when nothing can be shown without the answer that failed. */
export const FailedPage = ({ error, retry }: { error: unknown; retry: () => unknown }) => (
  <main className={styles.page}>
    <h1 className={styles.title}>The dashboard cannot be shown</h1>
    <Failure error={error} retry={retry} />
  </main>
);
