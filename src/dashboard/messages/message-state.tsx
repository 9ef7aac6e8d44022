import { Link } from "wouter";
import { exactTime, Time, TimesInFull, timeIn } from "../ui/format";
import { lookOf, StateTag, Tag } from "../ui/tag";
import type {
  HeldReason,
  MessageAuthor,
  MessageError,
  MessageStatus,
  ScheduledReason,
} from "./documents.generated";
import styles from "./messages.module.css";

export interface DeliveryState {
  status: MessageStatus;
  heldReason: HeldReason | null;
  waitsFor: string | null;
  notBefore: string | null;
  sendAt: string | null;
  scheduledReason: ScheduledReason | null;
  errorCode: MessageError | null;
  errorText: string | null;
  /** The contact; times are shown in its time zone or, if unknown, in the browser's. */
  contact?: { name: string | null; timezone: string | null } | null | undefined;
}

const STATUSES = {
  proposed: { label: "To review", tone: "warn" },
  scheduled: { label: "Scheduled", tone: "plain" },
  queued: { label: "Queued", tone: "plain" },
  sending: { label: "Sending", tone: "plain" },
  sent: { label: "Sent", tone: "good" },
  delivered: { label: "Delivered", tone: "good" },
  read: { label: "Read", tone: "good" },
  failed: { label: "Failed", tone: "bad" },
  canceled: { label: "Canceled", tone: "plain" },
  received: { label: "Received", tone: "plain" },
} as const satisfies Record<MessageStatus, unknown>;

const HELD: Readonly<Record<HeldReason, string>> = {
  behind: "Waiting for earlier messages.",
  imported: "Queued by an earlier version. An operator must release it.",
  line_paused: "Waiting: its line is paused.",
  no_route: "Waiting: the agent has no default line.",
  organization_deactivated: "Waiting: the organization is deactivated.",
  rate: "Waiting: the line has reached its per-minute message limit.",
  retry: "The last attempt failed. Trying again.",
};

const SCHEDULED: Readonly<Record<ScheduledReason, string>> = {
  cap: "The contact has received as many messages as the policy allows.",
  delay: "",
  window: "The policy does not allow messages to the contact at this hour.",
};

const ERRORS: Readonly<Record<MessageError, string>> = {
  canceled: "Canceled manually.",
  capped: "The policy held it back until it expired.",
  closed: "The conversation was closed first.",
  discarded: "Discarded manually.",
  expired: "It couldn’t be sent in time.",
  handed_off: "The conversation was handed off first.",
  moved: "The conversation moved to another line first.",
  no_address: "The contact has no address that the message can be sent to.",
  opted_out: "The contact has opted out.",
  rejected: "The receiver rejected it.",
  undeliverable: "A mail server reported that the contact’s address doesn’t exist.",
  uncertain: "It’s unknown whether it was sent.",
};

/** The displayed names of message authors. */
export const AUTHORS: Readonly<Record<MessageAuthor, string>> = {
  agent: "Agent",
  api: "API",
  contact: "Contact",
  member: "Team member",
  system: "Gateway",
};

/** True if a message can still be canceled. */
export const isWaiting = (status: MessageStatus): boolean => status === "queued" || status === "scheduled";

/** A filter option, with the API filters that it sets. */
interface StatusFilter {
  value: string;
  label: string;
  statuses: MessageStatus[];
  held: boolean | null;
}

const filterBy = (value: string, label: string, ...statuses: MessageStatus[]): StatusFilter => ({
  value,
  label,
  statuses,
  held: null,
});

/** The statuses as filter options. */
export const STATUS_FILTERS: readonly StatusFilter[] = [
  ...(Object.keys(STATUSES) as MessageStatus[]).map((status) =>
    filterBy(status, STATUSES[status].label, status),
  ),
  filterBy("upcoming", "To review or scheduled", "proposed", "scheduled"),
  filterBy("arrived", "Delivered or read", "delivered", "read"),
  filterBy("left", "Sent, delivered or read", "sent", "delivered", "read"),
].flatMap((option) =>
  option.value === "queued"
    ? [
        { ...option, held: false },
        { ...option, value: "held", label: "Held", held: true },
      ]
    : [option],
);

/** True if a message is held back for a reason other than waiting for earlier messages. */
export const isHeld = ({ heldReason }: Pick<DeliveryState, "heldReason">): boolean =>
  heldReason !== null && heldReason !== "behind";

/** The status of a message as a tag; held messages stand out. */
export const StatusTag = ({ status, heldReason }: Pick<DeliveryState, "status" | "heldReason">) =>
  isHeld({ heldReason }) ? <Tag tone="warn">Held</Tag> : <StateTag of={STATUSES} state={status} />;

/** True if `StateReason` explains the status. */
const isExplained = ({
  status,
  heldReason,
  errorCode,
}: Pick<DeliveryState, "status" | "heldReason" | "errorCode">) =>
  heldReason !== null || errorCode !== null || status === "scheduled" || status === "proposed";

/** The status of a message in one word, shown as a tag if an explanation follows. */
export const StatusWord = (state: Pick<DeliveryState, "status" | "heldReason" | "errorCode">) =>
  isExplained(state) ? <StatusTag {...state} /> : lookOf(STATUSES, state.status).label;

/** Explains why a message is waiting, was canceled or has failed; renders nothing for other messages. */
export function StateReason(state: DeliveryState) {
  const { heldReason, waitsFor, notBefore, sendAt, scheduledReason, errorCode, errorText, status, contact } =
    state;
  if (!isExplained(state)) return null;
  return (
    <span className={styles.reason}>
      {status === "proposed" && "Sent once someone approves it."}
      {scheduledReason !== null && sendAt !== null && (
        <>
          {SCHEDULED[scheduledReason]} Waits until <ExactTime at={sendAt} of={contact} />,{" "}
          <TimesInFull value={false}>
            <Time value={sendAt} isDue />
          </TimesInFull>
          .
        </>
      )}
      {errorCode !== null && (ERRORS[errorCode] ?? errorCode)}
      {heldReason === "behind" && waitsFor !== null ? (
        <>
          Waiting for <Link href={`/messages/${waitsFor}`}>the message before it</Link>.
        </>
      ) : (
        heldReason !== null && (HELD[heldReason] ?? heldReason)
      )}
      {errorText !== null && (
        <>
          {" "}
          <bdi className={styles.error}>{asSentence(errorText)}</bdi>
        </>
      )}
      {status === "queued" && notBefore !== null && (
        <>
          {" "}
          Due <Time value={notBefore} isDue />.
        </>
      )}
    </span>
  );
}

/** Adds a period to an error text unless it has one, because a sentence may follow. */
const asSentence = (text: string): string => (/[.!?…]$/.test(text.trim()) ? text : `${text.trim()}.`);

/** A time in a contact's time zone, if known. */
function ExactTime({ at, of: contact }: { at: string; of: DeliveryState["contact"] }) {
  const local = contact?.timezone == null ? undefined : timeIn(at, contact.timezone);
  if (local === undefined) return exactTime(at);
  return (
    <>
      {local} ({contact?.name == null ? "the contact" : <bdi>{contact.name}</bdi>}’s time)
    </>
  );
}
