import type { NewEvent } from "../events/record-events";
import { type Line, LineState } from "./line.entity";

/** Returns the event for a line whose state has changed; an archived line has no event. */
export const lineEvents = ({
  id,
  agentId,
  name,
  state,
  pausedReason,
}: Pick<Line, "id" | "agentId" | "name" | "state" | "pausedReason">): NewEvent[] =>
  state === LineState.archived
    ? []
    : [
        {
          agentId,
          type: state === LineState.paused ? "line.paused" : "line.resumed",
          subject: `line:${id}`,
          data: { id, name, reason: pausedReason },
        },
      ];
