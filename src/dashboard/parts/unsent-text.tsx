import { Textarea } from "@mantine/core";
import { useViewer } from "../session/session";
import { unsent } from "./unsent";

/**
 * Text that a member typed but can no longer send, shown for copying. Renders nothing if there is none.
 * @param id the ID of the conversation or of the proposed message
 */
export function UnsentText({ id }: { id: string }) {
  const text = unsent.use(useViewer().id, id);
  if (text === "") return null;
  return <Textarea label="Your unsent text" dir="auto" rows={3} readOnly value={text} />;
}
