import { Tag } from "../ui/tag";
import type { ConversationFragment } from "./documents.generated";

/** Shows who answers in an open conversation, or that it is closed. */
export const ConversationTag = ({ state, handler }: Pick<ConversationFragment, "state" | "handler">) => {
  if (state === "closed") return <Tag tone="plain">Closed</Tag>;
  return handler === "human" ? <Tag tone="warn">Handed off</Tag> : <Tag tone="good">Open</Tag>;
};

/** The tabs of the list; the first one is the default. */
export const TABS = [
  { value: "waiting", label: "Needs reply" },
  { value: "open", label: "Open" },
  { value: "closed", label: "Closed" },
  { value: "all", label: "All" },
] as const;

export const HANDLER_OPTIONS = [
  { value: "agent", label: "Agent" },
  { value: "human", label: "Human" },
] as const;
