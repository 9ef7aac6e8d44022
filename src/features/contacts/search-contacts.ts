import type { EntityManager } from "typeorm";
import { MAX_COUNT } from "../../pagination/total-count";
import { hasWords, severalWords, startsWith, termsToFind } from "./contact-search";

/** Max contacts found by a term's prefix, in alphabetical order, so that short texts are not slow. */
const MAX_BY_PREFIX = 1_000;

/** The contacts to find: contacts of one agent, or of all agents in an organization. */
export type Search = {
  text: string;
  tag?: string | undefined;
  ids?: readonly string[] | undefined;
} & ({ agentId: string } | { organizationId: string });

interface Part {
  after: string | undefined;
  direction: "ASC" | "DESC";
  limit: number;
}

/** Returns the IDs of contacts that match a search, in ID order. */
export async function searchContacts(reader: EntityManager, search: Search, part: Part): Promise<string[]> {
  const { sql, parameters } = statementOf(search, part);
  const rows: { id: string }[] = await reader.query(
    `${sql} ORDER BY id ${part.direction} LIMIT ${part.limit}`,
    parameters,
  );
  return rows.map(({ id }) => id);
}

/** Returns the number of contacts that match a search, up to `MAX_COUNT` + 1. */
export async function countFound(reader: EntityManager, search: Search): Promise<number> {
  const limit = MAX_COUNT + 1;
  const { sql, parameters } = statementOf(search, { after: undefined, direction: "ASC", limit });
  const [row] = await reader.query(
    `SELECT COUNT(*) AS n FROM (${sql} LIMIT ${limit}) AS counted`,
    parameters,
  );
  return Number(row.n);
}

/**
 * Selects the contacts with the text or a phone number that it can represent as a term, the first `MAX_BY_PREFIX`
 * with a term that starts with it, and all with its words; the last word may be incomplete.
 */
function statementOf(
  { text, tag, ids, ...scope }: Search,
  { after, direction, limit }: Part,
): { sql: string; parameters: unknown[] } {
  const parameters: unknown[] = [];
  const bind = (value: unknown) => `$${parameters.push(value)}`;
  const isOne = "agentId" in scope;
  const entries = (condition: () => string, distinct = "") => {
    const owner = isOne
      ? `= ${bind(scope.agentId)}`
      : `IN (SELECT id FROM agent WHERE organization_id = ${bind(scope.organizationId)} AND deleted_at IS NULL)`;
    const conditions = [`entry.agent_id ${owner}`, condition()];
    if (ids !== undefined)
      conditions.push(ids.length === 0 ? "1 = 0" : `entry.contact_id IN (${ids.map(bind).join(", ")})`);
    if (tag !== undefined)
      conditions.push(
        `EXISTS (SELECT 1 FROM contact_tag WHERE contact_tag.contact_id = entry.contact_id AND contact_tag.tag = ${bind(tag)})`,
      );
    return `SELECT ${distinct} entry.contact_id FROM contact_term entry WHERE ${conditions.join(" AND ")}`;
  };
  const isAfter = (id: string) =>
    after === undefined ? "" : `${id} ${direction === "ASC" ? ">" : "<"} ${bind(after)}`;
  /** Selects a page of search-term rows. The index returns the rows of one term in contact ID order. */
  const page = (condition: () => string, distinct?: string) => {
    const from = () => [condition(), isAfter("entry.contact_id")].filter(Boolean).join(" AND ");
    const matching = entries(from, distinct);
    return `SELECT contact_id FROM (${matching} ${isOne ? `ORDER BY entry.contact_id ${direction}` : ""} LIMIT ${limit}) AS part`;
  };
  const { starts, others } = termsToFind(text);
  const parts: string[] = [];
  // A contact can have several of these numbers.
  if (others.length > 0) parts.push(page(() => `entry.term IN (${others.map(bind).join(", ")})`, "DISTINCT"));
  for (const start of starts) {
    parts.push(page(() => `entry.term = ${bind(start)}`));
    const longer = entries(() => startsWith(bind, "entry.term", start, ">"));
    const rest = isAfter("contact_id");
    parts.push(
      `SELECT contact_id FROM (${longer} ${isOne ? "ORDER BY entry.term, entry.contact_id" : ""} LIMIT ${isOne ? MAX_BY_PREFIX : limit}) AS part ${rest && `WHERE ${rest}`}`,
    );
  }
  const words = severalWords(text);
  if (words !== undefined) parts.push(page(() => hasWords(bind, words)));
  return { sql: `SELECT contact_id AS id FROM (${parts.join(" UNION ")}) AS found`, parameters };
}
