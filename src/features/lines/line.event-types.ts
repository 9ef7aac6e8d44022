import { ID, object, orNull, TEXT } from "../../schema/event-type";

const data = object({ id: ID, name: TEXT, reason: orNull(TEXT) });

export const lineEventTypes = {
  "line.paused": { description: "A line was paused.", data },
  "line.resumed": { description: "A line was resumed.", data },
};
