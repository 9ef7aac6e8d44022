import { Tag } from "../ui/tag";

/** Shows who answers in an open conversation, or that it is closed. */
export const ConversationTag = (props: { state: "open" | "closed"; handler: "agent" | "human" }) => {
  if (props.state === "closed") return <Tag tone="plain">Closed</Tag>;
  return props.handler === "human" ? <Tag tone="warn">Handed off</Tag> : <Tag tone="good">Open</Tag>;
};
