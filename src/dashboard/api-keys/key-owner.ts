import type { KeyFragment } from "./documents.generated";

/** Shown in place of an agent for organization keys. */
export const ORGANIZATION = "Organization";

/** Returns the owner of a key: the name of its agent, or the organization. */
export const ownerOf = ({
  agent,
}: {
  agent: Pick<NonNullable<KeyFragment["agent"]>, "name"> | null;
}): string => agent?.name ?? ORGANIZATION;
