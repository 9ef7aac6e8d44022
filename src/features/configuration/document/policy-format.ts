import { z } from "zod";
import { MAX_TOPICS } from "../../contacts/contact.limits";
import {
  MAX_CAP_DAYS,
  MAX_CAPPED,
  MAX_CAPS,
  MAX_WINDOWS,
  TOPIC_TITLE_MAX_LENGTH,
} from "../configuration.limits";
import { isZone, similarZones } from "./local-formats";
import { matching, optional, topicName } from "./names";
import { periodUpTo } from "./period";

/** The days of the week as written in documents, in order from Sunday (0). */
export const DAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"] as const;

const DAY = `(?:${DAYS.join("|")})`;

const days = optional(
  matching(
    new RegExp(`^${DAY}(?:-${DAY})?(?:,${DAY}(?:-${DAY})?)*$`),
    64,
    "days such as mon-fri, sat, or mon,wed,fri-sun",
  ),
  "Days such as `mon-fri`, `sat` or `mon,wed,fri-sun`. Defaults to every day.",
);

const TIME = "(?:[01]\\d|2[0-3]):[0-5]\\d";

const time = (pattern: string, example: string) =>
  z.string().regex(new RegExp(`^(?:${pattern})$`), { error: `must be a time such as ${example}` });

const window = z
  .strictObject({
    days,
    from: time(TIME, "08:00").describe("Time when the window opens, such as `08:00`."),
    to: time(`${TIME}|24:00`, "20:00 or 24:00").describe(
      "Time when the window closes, such as `20:00` or `24:00`. The window closes on the next day if this time is not after `from`.",
    ),
  })
  .refine(({ from, to }) => from !== to, {
    path: ["to"],
    error: "must differ from `from` (a whole day is from 00:00 to 24:00)",
  });

const cap = z.strictObject({
  max: z.int().min(1).max(MAX_CAPPED).describe("Max messages to a contact within the period."),
  within: periodUpTo(MAX_CAP_DAYS, "PT1H or P7D").describe(
    `A rolling period: an ISO 8601 duration, at most P${MAX_CAP_DAYS}D.`,
  ),
  topics: optional(
    z.array(topicName).min(1).max(MAX_TOPICS),
    "The topics of the messages that the cap counts and holds back. Defaults to all messages.",
  ),
});

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

const topics = z
  .record(topicName, topic)
  .meta({ maxProperties: MAX_TOPICS })
  .describe("The message topics that contacts can opt in to or out of, by name.");

/** A time zone. For an unknown name, similar names are suggested. */
export const zone = z
  .string()
  .max(64)
  .refine(isZone, {
    error: ({ input }) => `must be an IANA time zone such as Europe/Zurich${similarZones(String(input))}`,
  });

/** Limits on when and how often the agent writes to contacts unprompted. */
export const policy = z
  .strictObject({
    zone: optional(
      zone,
      "Time zone for windows if the contact has none. Defaults to the configuration's time zone.",
    ),
    windows: optional(
      z.array(window).min(1).max(MAX_WINDOWS),
      "Hours when messages are sent, in the contact's time zone. Defaults to any time.",
    ),
    caps: optional(
      z.array(cap).min(1).max(MAX_CAPS),
      "Limits on messages to a contact within a period, across all lines.",
    ),
    topics: topics.optional(),
    review: optional(
      z.enum(["model", "all"]),
      "Messages that a person must approve: messages written by a model, or all of the agent's messages. By default, only messages from effects with `review` set.",
    ),
  })
  .describe("Limits on when and how often the agent sends messages that do not answer the contact.");

export type PolicyDocument = z.infer<typeof policy>;
