import { z } from "zod";
import { suggestion } from "../../../common/suggest";
import { MAX_TOPICS } from "../../contacts/contact.limits";
import { MAX_CAP_DAYS, MAX_CAPPED, MAX_CAPS, MAX_WINDOWS } from "../configuration.limits";
import { isZone } from "./local-formats";
import { name } from "./names";
import { periodUpTo } from "./period";
import { topics } from "./topics-format";

/** The days of the week as written in documents, in order from Sunday (0). */
export const DAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"] as const;

const DAY = `(?:${DAYS.join("|")})`;

const days = z
  .string()
  .max(64)
  .regex(new RegExp(`^${DAY}(?:-${DAY})?(?:,${DAY}(?:-${DAY})?)*$`), {
    error: "must be days such as mon-fri, sat, or mon,wed,fri-sun",
  })
  .describe("Days such as `mon-fri`, `sat` or `mon,wed,fri-sun`. Defaults to every day.")
  .optional();

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
  topics: z
    .array(name)
    .min(1)
    .max(MAX_TOPICS)
    .describe("The topics of the messages that the cap counts and holds back. Defaults to all messages.")
    .optional(),
});

/** A time zone. For an unknown name, similar names are suggested. */
export const zone = z
  .string()
  .max(64)
  .refine(isZone, {
    error: ({ input }) =>
      `must be an IANA time zone such as Europe/Zurich${suggestion(String(input), Intl.supportedValuesOf("timeZone"))}`,
  });

/** Limits on when and how often the agent writes to contacts unprompted. */
export const policy = z
  .strictObject({
    zone: zone
      .describe("Time zone for windows if the contact has none. Defaults to the configuration's time zone.")
      .optional(),
    windows: z
      .array(window)
      .min(1)
      .max(MAX_WINDOWS)
      .describe("Hours when messages are sent, in the contact's time zone. Defaults to any time.")
      .optional(),
    caps: z
      .array(cap)
      .min(1)
      .max(MAX_CAPS)
      .describe("Limits on messages to a contact within a period, across all lines.")
      .optional(),
    topics: topics.optional(),
    review: z
      .enum(["model", "all"])
      .describe(
        "Messages that a person must approve: messages written by a model, or all of the agent's messages. By default, only messages from effects with `review` set.",
      )
      .optional(),
  })
  .describe("Limits on when and how often the agent sends messages that do not answer the contact.");

export type PolicyDocument = z.infer<typeof policy>;
