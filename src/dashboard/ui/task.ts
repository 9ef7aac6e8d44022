import { useEffect, useRef, useState } from "react";
import { sentenceOf } from "../api/api-error";
import { toast } from "./toast";

/** Runs a button's task and returns its progress and error. If the component is gone, a toast shows the error. */
export function useTask() {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const isShown = useRef(false);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);
  const run = async (task: () => Promise<void>) => {
    setBusy(true);
    setError(undefined);
    try {
      await task();
    } catch (failure) {
      if (isShown.current) setError(failure);
      else toast(sentenceOf(failure), "bad");
    } finally {
      setBusy(false);
    }
  };
  const clearError = () => setError(undefined);
  return { busy, error, run, clearError };
}
