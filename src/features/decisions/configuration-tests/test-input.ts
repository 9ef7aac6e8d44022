import { instantOf } from "../../../common/instant";
import { canonicalLocale } from "../../../common/locales";
import { timestampOf } from "../../../common/time";
import type { DecisionInput } from "../../configuration/document/read-situation";
import { MESSAGE_FAILED, MESSAGE_RECEIVED } from "../../configuration/document/shapes";
import type { TestedSituation } from "../../configuration/document/tests-format";

/** The conversation ID in tests that do not set one. */
const CONVERSATION_ID = "00000000-0000-7000-8000-000000000001";

const DEFAULT_LINE = "main";

/** Returns the decision input that a test describes. */
export function inputOf(test: TestedSituation): DecisionInput {
  const { situation, message, failed, spent = [], agent = {} } = test;
  const contact = contactOf(test);
  const conversation = conversationOf(test);
  const isReply = situation.type === MESSAGE_RECEIVED && conversation !== null;
  return {
    situation: { type: situation.type, data: situation.data ?? {} },
    contact,
    conversation,
    message: message
      ? { text: message.text, subject: message.subject ?? null, sequence: message.sequence ?? 1 }
      : null,
    agent: { slug: agent.slug ?? "agent", name: agent.name ?? "Agent" },
    now: timestampOf(instantOf(test.now)?.getTime() ?? 0),
    ...(isReply && { answers: message?.answers ?? 0 }),
    ...(test.contact?.handedOff && { isHandedOff: true as const }),
    ...(situation.type === MESSAGE_FAILED &&
      failed && {
        failed: {
          text: failed.text,
          subject: failed.subject ?? null,
          wasResent: failed.wasResent ?? false,
          ...(failed.unapproved && { isUnapproved: true as const }),
        },
      }),
    spent: [...spent],
  };
}

function contactOf({ contact }: TestedSituation): DecisionInput["contact"] {
  if (contact === undefined) return null;
  const { ref = null, name = null, locale = null, timezone = null, attributes = {} } = contact;
  const { tags = [], channels = [] } = contact;
  return {
    ref,
    name,
    locale: locale && (canonicalLocale(locale) ?? null),
    timezone,
    attributes,
    tags: [...new Set(tags)].sort(),
    channels: [...new Set(channels)].sort(),
  };
}

/** Returns the conversation of a test; a test with a message always has one. */
function conversationOf({ conversation, message }: TestedSituation): DecisionInput["conversation"] {
  if (conversation === undefined && message === undefined) return null;
  const { id = CONVERSATION_ID, line = DEFAULT_LINE, handler = "agent", state = "open" } = conversation ?? {};
  return { id, line, handler, state };
}
