import { useState } from "react";
import { useViewer } from "../session/session";

/**
 * Stores in this browser that the user has tried or dismissed something in the organization.
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

/** Returns the stored IDs; none if storage is blocked. */
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
    // Storage may be blocked or full. The choice is then lost when the page is reloaded.
  }
};
