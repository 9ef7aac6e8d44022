import { Alert, Button } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { ApiError, isUserError, sentenceOf } from "../api/api-error";
import styles from "./failure.module.css";
import { Icon } from "./icon";

/**
 * An error message, with the request ID to quote to an administrator.
 * @param retry retries now what the page polls anyway
 */
export function Failure({ error, retry }: { error: unknown; retry?: () => unknown }) {
  const requestId = error instanceof ApiError && !isUserError(error) ? error.requestId : undefined;
  return (
    <Alert color="red" role="alert" icon={<Icon of={IconAlertTriangle} />}>
      <p className={styles.sentence}>{sentenceOf(error, { polled: retry !== undefined })}</p>
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
    </Alert>
  );
}

/** The whole page when nothing else can be shown. */
export const FailedPage = ({ error, retry }: { error: unknown; retry: () => unknown }) => (
  <main className={styles.page}>
    <h1 className={styles.title}>The dashboard can’t be loaded</h1>
    <Failure error={error} retry={retry} />
  </main>
);
