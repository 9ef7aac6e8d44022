import { useState } from "react";

/** Runs a task that a button starts, with its progress and its failure. */
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
