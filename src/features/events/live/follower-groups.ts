import { chunked } from "../../../common/chunked";
import { groupBy } from "../../../common/group-by";
import type { Event } from "../event.entity";
import type { Follower } from "./follower";
import type { LiveQuery } from "./live-snapshot";
import { credentialOf } from "./rejections";

/** Max IDs of agents, keys or sessions per statement. */
export const MAX_IDS = 500;

/** Max start positions per statement. */
const MAX_CURSORS = 10;

export const cursorOf = ({ agent, position }: Follower): string => `${agent.id} ${position}`;

/** Splits groups of followers, each at one position, into batches that one statement can serve. */
export function partsOf(groups: readonly Follower[][]): Follower[][] {
  const parts = groups.flatMap((group) => {
    const byCredential = [...groupBy(group, ({ caller }) => credentialOf(caller).id).values()];
    return chunked(byCredential, MAX_IDS / MAX_CURSORS).map((each) => each.flat());
  });
  return chunked(parts, MAX_CURSORS).map((each) => each.flat());
}

/** Returns the distinct IDs of the followers' credentials and of the agents that members follow. */
export function credentialsOf(
  followers: readonly Follower[],
): Required<Pick<LiveQuery, "keyIds" | "sessionIds" | "memberAgentIds">> {
  const keyIds = new Set<string>();
  const sessionIds = new Set<string>();
  const memberAgentIds = new Set<string>();
  for (const { caller, agent } of followers) {
    const { kind, id } = credentialOf(caller);
    if (kind === "key") keyIds.add(id);
    else if (kind === "session") {
      sessionIds.add(id);
      memberAgentIds.add(agent.id);
    }
  }
  return { keyIds: [...keyIds], sessionIds: [...sessionIds], memberAgentIds: [...memberAgentIds] };
}

/** Returns the events after a position, up to the first gap. */
export function consecutive(events: readonly Event[], from: bigint): readonly Event[] {
  const gap = events.findIndex(({ position }, i) => BigInt(position) !== from + BigInt(i + 1));
  return gap === -1 ? events : events.slice(0, gap);
}

/** Returns the events of certain types; followers of the same types share the list. */
export function ofTypes(
  events: readonly Event[],
  types: readonly string[] | undefined,
  known: Map<string, readonly Event[]>,
): readonly Event[] {
  if (types === undefined) return events;
  const key = types.join();
  const filtered = known.get(key) ?? events.filter(({ type }) => types.includes(type));
  known.set(key, filtered);
  return filtered;
}
