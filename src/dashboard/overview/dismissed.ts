import { useState } from "react";
import { useViewer } from "../session/session";

/** The storage key for the organizations whose steps were dismissed. */
const DISMISSED = "get-started-dismissed";

/** Remembers in this browser that an organization's steps were dismissed. */
export function useDismissed(): [boolean, () => void] {
  const { organization } = useViewer();
  const [dismissed, setDismissed] = useState(() => remembered().includes(organization.id));
  const dismiss = () => {
    setDismissed(true);
    remember([...remembered(), organization.id]);
  };
  return [dismissed, dismiss];
}

/** Storage may be blocked, or contain data from another version. */
const remembered = (): string[] => {
  try {
    return (localStorage.getItem(DISMISSED) ?? "").split(" ");
  } catch {
    return [];
  }
};

const remember = (ids: readonly string[]) => {
  try {
    localStorage.setItem(DISMISSED, ids.join(" ").trim());
  } catch {
    // If it cannot be stored, the steps stay dismissed until the page is reloaded.
  }
};
