import { Button } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import { isSessionError } from "../api/api-error";
import { askWhoIsSignedIn } from "../api/client";
import { useViewer } from "../session/session";
import { Icon } from "../ui/icon";
import { wholeNumber } from "../ui/number";
import { toast } from "../ui/toasts";
import { type AuditFilter, readAll, saveAsCsv } from "./export";

/** Saves everything that the filters let through; a second press stops it. @param onError told of a failure, undefined at a start */
export function ExportButton({
  filter,
  onError,
}: {
  filter: AuditFilter;
  onError: (error: unknown) => void;
}) {
  const { organization } = useViewer();
  const [count, setCount] = useState<number>();
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);

  const start = async () => {
    const controller = new AbortController();
    running.current = controller;
    onError(undefined);
    setCount(0);
    try {
      const entries = await readAll(filter, controller.signal, setCount);
      saveAsCsv(entries, organization.slug);
      toast(`Exported ${wholeNumber(entries.length)} ${entries.length === 1 ? "entry" : "entries"}.`);
    } catch (error) {
      if (isSessionError(error)) void askWhoIsSignedIn();
      if (!controller.signal.aborted) onError(error);
    } finally {
      setCount(undefined);
    }
  };

  return count === undefined ? (
    <Button variant="default" leftSection={<Icon name="download" size={16} />} onClick={start}>
      Export as CSV
    </Button>
  ) : (
    <Button
      variant="default"
      leftSection={<Icon name="close" size={16} />}
      onClick={() => running.current?.abort()}
    >
      Stop the export ({wholeNumber(count)} so far)
    </Button>
  );
}
