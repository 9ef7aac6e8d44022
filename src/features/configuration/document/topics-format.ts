import { z } from "zod";
import { MAX_TOPICS } from "../../contacts/contact.limits";
import { TOPIC_TITLE_MAX_LENGTH } from "../configuration.limits";
import { name } from "./names";

const topic = z.strictObject({
  title: z
    .string()
    .max(TOPIC_TITLE_MAX_LENGTH)
    .regex(/\S/, "must not be empty")
    .describe("Display name of the topic."),
  default: z
    .enum(["in", "out"])
    .describe(
      "`out` to send messages about the topic only to contacts who opted in to it, or `in` to send them to all contacts who have not opted out.",
    ),
});

/** Message topics that contacts can opt in to or out of. */
export const topics = z
  .record(name, topic)
  .meta({ maxProperties: MAX_TOPICS })
  .describe("The message topics that contacts can opt in to or out of, by name.");
