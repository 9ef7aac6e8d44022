import { useState } from "react";

/** Runs a task started by a button, with its progress and failure. */
export function useTask() {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const run = async (task: () => Promise<void>) => {
    setBusy(true);
    setError(undefined);
    try {
      await task();
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  const clearError = () => setError(undefined);
  return { busy, error, run, clearError };
}
