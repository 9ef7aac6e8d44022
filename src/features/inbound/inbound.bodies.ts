import { z } from "zod";
import { instantOf } from "../../common/instant";
import { timestamp, timestampOf } from "../../common/time";
import { PROVIDER_ID_MAX_LENGTH } from "../../delivery/driver";
import { GatewayError, InvalidInput } from "../../errors";
import { ADDRESS_MAX_LENGTH } from "../contacts/contact.limits";
import { ERROR_TEXT_MAX_LENGTH } from "../messages/message.entity";
import { MessageStatus } from "../messages/message.enums";
import { MESSAGE_TEXT_MAX_LENGTH } from "../messages/message.limits";
import type { Receipt } from "../messages/receipts";
import type { Inbound } from "./arrivals";

/** Creates a format for text that both databases store unchanged; `max` counts code points. */
const text = (max: number, description: string, min = 1) =>
  z
    .string("must be a string")
    .min(min, "must not be empty")
    .refine((value) => value.length <= max || [...value].length <= max, `must have at most ${max} characters`)
    .refine((value) => !value.includes("\0"), "must not contain the NUL character")
    .refine((value) => value.isWellFormed(), "must be well-formed Unicode")
    .meta({ maxLength: max, description });

const TIME = "must be a time in RFC 3339 format, such as 2026-11-21T06:36:59Z";
const time = (description: string) =>
  z
    .string(TIME)
    .refine((value) => instantOf(value) !== undefined, TIME)
    .meta({ format: "date-time", description })
    .optional();

const REPORTED = [
  MessageStatus.sent,
  MessageStatus.delivered,
  MessageStatus.read,
  MessageStatus.failed,
] as const;

export const INBOUND_MESSAGE = z.object({
  id: text(
    PROVIDER_ID_MAX_LENGTH,
    "ID assigned by the system that sends the message. Messages with the same ID are stored only once.",
  ),
  // Accepts strings that are too long for an address: they are rejected later, like addresses of the wrong kind.
  from: text(
    MESSAGE_TEXT_MAX_LENGTH,
    "The contact's address. Its kind must match the line's address kind.",
  ).meta({
    maxLength: ADDRESS_MAX_LENGTH,
  }),
  text: text(MESSAGE_TEXT_MAX_LENGTH, "Text that the contact wrote.", 0),
  timestamp: time("When the contact wrote the message. Defaults to the current time."),
});

export const INBOUND_RECEIPT = z
  .object({
    messageId: text(36, "The message ID that the gateway sent. Specify either this or `providerId`.")
      .meta({ format: "uuid" })
      .optional(),
    providerId: text(
      PROVIDER_ID_MAX_LENGTH,
      "The message ID that the line's receiver returned in its response. Specify either this or `messageId`.",
    ).optional(),
    status: z
      .enum(REPORTED, {
        error: ({ input }) =>
          typeof input === "string" ? `must be one of ${REPORTED.join(", ")}` : "must be a string",
      })
      .meta({ description: "Current status of the message." }),
    errorCode: text(ERROR_TEXT_MAX_LENGTH, "Reason for the failure, as a string or a number.").optional(),
    timestamp: time("When the status was reached. Defaults to the current time."),
  })
  .refine((receipt) => (receipt.messageId === undefined) !== (receipt.providerId === undefined), {
    path: ["messageId"],
    error: "or providerId must be given, but not both",
    when: () => true,
  });

/** Disables Zod's JIT compiler, so that no request has to wait while Zod generates code. */
const NO_CODE = { jitless: true } as const;

/**
 * Checks a body; null fields are treated as missing.
 * @throws GatewayError `invalid_request` with the first problem of each field
 */
function parse<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  if (typeof body !== "object" || body === null || Array.isArray(body))
    throw new GatewayError("invalid_request", "The body must be a JSON object.");
  const given = Object.entries(body).filter(([, value]) => value !== null);
  const { data, error } = schema.safeParse(Object.fromEntries(given), NO_CODE);
  if (error === undefined) return data;
  const problems = error.issues.map(({ path, message }) => ({ path: path.join("."), message }));
  throw new InvalidInput(
    [...new Map(problems.reverse().map((each) => [each.path, each])).values()].reverse(),
  );
}

/** Returns a time from another system, limited to the current time because clocks differ. Defaults to now. */
const timeOf = (named: string | undefined): string => {
  const instant = named === undefined ? undefined : instantOf(named);
  return instant === undefined ? timestamp() : timestampOf(Math.min(instant.getTime(), Date.now()));
};

/** @throws GatewayError `invalid_request` */
export function inboundOf(body: unknown): Inbound {
  const { id, from, text, timestamp } = parse(INBOUND_MESSAGE, body);
  return {
    providerId: id,
    from,
    name: null,
    text,
    sentAt: timeOf(timestamp),
    omitted: null,
    isAutomatic: false,
  };
}

/** @throws GatewayError `invalid_request` */
export function receiptOf(body: unknown): Omit<Receipt, "lineId"> {
  const { errorCode } = (body ?? {}) as { errorCode?: unknown };
  // Many systems use numeric error codes.
  const named = Number.isSafeInteger(errorCode)
    ? { ...(body as object), errorCode: String(errorCode) }
    : body;
  const receipt = parse(INBOUND_RECEIPT, named);
  return {
    message:
      receipt.messageId === undefined ? { providerId: receipt.providerId ?? "" } : { id: receipt.messageId },
    status: receipt.status,
    at: timeOf(receipt.timestamp),
    ...(receipt.errorCode !== undefined && { errorText: receipt.errorCode }),
  };
}
