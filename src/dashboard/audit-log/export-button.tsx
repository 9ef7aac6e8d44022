import { Button } from "@mantine/core";
import { IconDownload, IconX } from "@tabler/icons-react";
import { useEffect, useRef, useState } from "react";
import { isSessionError } from "../api/api-error";
import { refetchViewer } from "../api/client";
import { useViewer } from "../session/session";
import { formatNumber } from "../ui/format";
import { Icon } from "../ui/icon";
import { toast } from "../ui/toast";
import { type AuditFilter, readAll, saveAsCsv } from "./export";

/**
 * Exports all entries that match the filters; a second click cancels.
 * @param onError called with the error if the export fails, and with undefined when it starts
 */
export function ExportButton(props: { filter: AuditFilter; onError: (error: unknown) => void }) {
  const { filter, onError } = props;
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
      toast(`Exported ${formatNumber(entries.length)} ${entries.length === 1 ? "entry" : "entries"}.`);
    } catch (error) {
      if (isSessionError(error)) void refetchViewer();
      if (!controller.signal.aborted) onError(error);
    } finally {
      setCount(undefined);
    }
  };

  return count === undefined ? (
    <Button variant="default" leftSection={<Icon of={IconDownload} size={16} />} onClick={start}>
      Export as CSV
    </Button>
  ) : (
    <Button
      variant="default"
      leftSection={<Icon of={IconX} size={16} />}
      onClick={() => running.current?.abort()}
    >
      Cancel export ({formatNumber(count)} so far)
    </Button>
  );
}
