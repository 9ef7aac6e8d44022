import { useState } from "react";
import { useViewer } from "../session/session";

/**
 * Remembers in this browser that something was done for the organization.
 * @param name the storage key for the IDs of the organizations
 */
export function useRemembered(name: "get-started-dismissed" | "situation-tried"): [boolean, () => void] {
  const { organization } = useViewer();
  const [isDone, setDone] = useState(() => remembered(name).includes(organization.id));
  const done = () => {
    setDone(true);
    remember(name, [...remembered(name), organization.id]);
  };
  return [isDone, done];
}

/** Storage may be blocked, or contain data from another version. */
const remembered = (name: string): string[] => {
  try {
    return (localStorage.getItem(name) ?? "").split(" ");
  } catch {
    return [];
  }
};

const remember = (name: string, ids: readonly string[]) => {
  try {
    localStorage.setItem(name, ids.join(" ").trim());
  } catch {
    // If it cannot be stored, it is forgotten when the page is reloaded.
  }
};
