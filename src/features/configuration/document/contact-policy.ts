import { type Timestamp, timestampOf } from "../../../common/time";
import { offsetMs, UTC } from "./local-formats";
import { periodMs } from "./period";
import { DAYS, type PolicyDocument } from "./policy-format";
import { pathOf } from "./problem";
import { nextOpening, type TimeWindow } from "./windows";

/** Max messages to a contact within a period. */
export interface Cap {
  max: number;
  withinMs: number;
  /** Topics of the counted messages; undefined for all messages. */
  topics: readonly string[] | undefined;
  path: string;
}

/** The time when a policy stops holding back a message, and the path of the window or cap that holds it back. */
export interface PolicyHold {
  until: Timestamp;
  path: string;
}

/** An agent's policy: when, how often and about which topics it may write to contacts. */
export class ContactPolicy {
  private readonly caps: readonly Cap[];
  private readonly topics: NonNullable<PolicyDocument["topics"]>;
  private readonly windows: readonly TimeWindow[];
  private readonly zone: string;

  /** @param zone the configuration's zone */
  constructor({ zone: own, windows = [], caps = [], topics = {} }: PolicyDocument, zone = UTC) {
    this.zone = own ?? zone;
    this.windows = windows.map(({ days, from, to }) => {
      const [opens, closes] = [minutesOf(from), minutesOf(to)];
      return { days: daysIn(days), from: opens, to: closes > opens ? closes : closes + minutesOf("24:00") };
    });
    this.topics = topics;
    this.caps = caps.map(({ max, within, topics: about }, index) => ({
      max,
      withinMs: periodMs(within) ?? 0,
      topics: about,
      path: pathOf(["policy", "caps", index]),
    }));
  }

  /** Returns the caps for messages about a topic; null stands for messages without a topic. */
  capsOn(topic: string | null): Cap[] {
    return this.caps.filter((cap) => isAbout(cap, topic));
  }

  /** Returns a topic's title; undefined if the topic is not declared. */
  titleOf(topic: string): string | undefined {
    return Object.hasOwn(this.topics, topic) ? this.topics[topic]?.title : undefined;
  }

  /** True if messages about a topic are sent only to contacts who opted in to it. */
  isOptIn(topic: string): boolean {
    return Object.hasOwn(this.topics, topic) && this.topics[topic]?.default === "out";
  }

  /**
   * Finds the next time when a window opens.
   * @param timezone the contact's time zone; if it is null or unknown, the policy's time zone applies
   * @returns undefined if a window is open at that time, or if the policy has no windows
   */
  closedUntil(timezone: string | null, at: Timestamp): PolicyHold | undefined {
    if (this.windows.length === 0) return undefined;
    const atMs = Date.parse(at);
    const zone = timezone !== null && offsetMs(timezone, atMs) !== undefined ? timezone : this.zone;
    const opening = nextOpening(this.windows, zone, atMs);
    if (opening.atMs <= atMs) return undefined;
    return { until: timestampOf(opening.atMs), path: pathOf(["policy", "windows", opening.index]) };
  }
}

/** True if a cap counts messages about a topic; null stands for messages without a topic. */
export const isAbout = ({ topics }: Cap, topic: string | null): boolean =>
  topics === undefined || (topic !== null && topics.includes(topic));

const minutesOf = (time: string): number => {
  const [hours, minutes] = time.split(":");
  return Number(hours) * 60 + Number(minutes);
};

/** Returns the days in a list of days and ranges, such as `fri-mon`. */
function daysIn(list = "sun-sat"): ReadonlySet<number> {
  const days = new Set<number>();
  for (const range of list.split(",")) {
    const [first = -1, last = first] = range
      .split("-")
      .map((day) => (DAYS as readonly string[]).indexOf(day));
    for (let day = first; ; day = (day + 1) % DAYS.length) {
      days.add(day);
      if (day === last) break;
    }
  }
  return days;
}
