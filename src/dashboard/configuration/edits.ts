import { useEffect } from "react";
import { useAgents } from "../parts/use-agents";
import { createStore } from "../store";

/** A member's unsaved edit of a configuration. */
export interface Edit {
  text: string;
  /** The revision of the draft that the edit is based on; 0 if there was no draft. */
  revision: number;
  /** The version that the draft was based on; the live version if there was no draft. */
  basedOn: number;
}

/** Session storage key for the edits. They contain no secrets, because documents must not contain any. */
const STORED = "configuration-edits";

function stored(): Readonly<Record<string, Edit>> {
  try {
    return JSON.parse(sessionStorage.getItem(STORED) ?? "{}");
  } catch {
    return {};
  }
}

/** Unsaved edits by member and agent. They survive navigation and sign-out; session storage keeps them on reload. */
const edits = createStore(stored());

const warn = (event: BeforeUnloadEvent) => event.preventDefault();

function keep(next: Readonly<Record<string, Edit>>): void {
  edits.set(next);
  try {
    sessionStorage.setItem(STORED, JSON.stringify(next));
  } catch {
    // The storage may be full. The browser still warns before closing the tab.
  }
  watchLeaving();
}

/** Makes the browser ask before closing a tab with unsaved edits. */
function watchLeaving(): void {
  window.removeEventListener("beforeunload", warn);
  if (Object.keys(edits.get()).length > 0) window.addEventListener("beforeunload", warn);
}
watchLeaving();

/** Returns a member's unsaved edit of an agent's configuration; undefined if everything is saved. */
export function useEdit(memberId: string, agentId: string) {
  const key = `${memberId} ${agentId}`;
  return {
    edit: edits.use()[key] as Edit | undefined,
    setEdit: (edit: Edit | undefined) => {
      const { [key]: _, ...others } = edits.get();
      keep(edit === undefined ? others : { ...others, [key]: edit });
    },
    /** Returns the current edit, even in a callback from an earlier render. */
    currentEdit: () => edits.get()[key] as Edit | undefined,
  };
}

/** Discards a member's edits of deleted agents, because no page shows them but the browser asks about them. */
export function useDiscardOrphans(memberId: string): void {
  const agents = useAgents().data?.agents;
  useEffect(() => {
    if (agents === undefined) return;
    const remaining = Object.entries(edits.get()).filter(([key]) => {
      const [owner, agentId] = key.split(" ");
      return owner !== memberId || agents.some(({ id }) => id === agentId);
    });
    keep(Object.fromEntries(remaining));
  }, [memberId, agents]);
}
