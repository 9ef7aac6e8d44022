import { IconSearch, type Icon as TablerIcon } from "@tabler/icons-react";
import { subjectHref } from "../ui/subject-href";
import type { FindQuery, FoundKind } from "./documents.generated";

/** An entry of the list. */
export interface Entry {
  /** Target of the entry: a path below /dashboard, or on this server if `isOutside`. */
  href: string;
  title: string;
  hint?: string;
  icon: TablerIcon | undefined;
  isOutside?: boolean;
}

/** The headings of found resources, in the order of their groups. */
const HEADINGS: Readonly<Record<FoundKind, string>> = {
  contact: "Contacts",
  conversation: "Conversations",
  message: "Messages",
  decision: "Decisions",
  timer: "Timers",
  agent: "Agents",
  line: "Lines",
  api_key: "API keys",
  webhook_endpoint: "Webhooks",
  webhook_delivery: "Webhook deliveries",
  event: "Events",
  member: "Members",
};

type Found = FindQuery["find"][number];

/** Returns the found resources that have a page in the dashboard, grouped by heading. */
export function foundEntries(found: readonly Found[]): Readonly<Record<string, readonly Entry[]>> {
  const groups = Object.entries(HEADINGS).map(([kind, heading]) => [
    heading,
    found.filter((each) => each.kind === kind).flatMap((each) => entryOf(each) ?? []),
  ]);
  return Object.fromEntries(groups);
}

function entryOf({ title, detail, agentName, subject, eventId }: Found): Entry | undefined {
  const page = subjectHref(subject);
  if (page === undefined) return undefined;
  const hint = [detail, agentName].filter((text) => text !== null).join(" · ");
  return {
    href: eventId === null ? page : `${page}?event=${eventId}`,
    title: title ?? "No name",
    icon: IconSearch,
    ...(hint !== "" && { hint }),
  };
}
