import type { EntityManager } from "typeorm";
import { fromParts } from "../../pagination/page-of-parts";
import { partsOfAgents } from "../agents/agent-scope";
import { Message } from "../messages/message.entity";

/** Messages whose texts are searched; if a list is of several agents, an equal number of each agent's. */
const SEARCHED_MESSAGES = 5_000;

/** Min length of a text to search for (code points), because most messages contain a shorter one. */
const MIN_LENGTH = 3;

/** Max found conversations. */
const MAX_FOUND = 1_000;

/**
 * Finds the agents' conversations with a text in their messages or subjects, ignoring case. Only the newest messages are
 * searched, because no index covers texts.
 * @returns IDs of conversations
 */
export async function findConversationsByText(
  reader: EntityManager,
  agentIds: readonly string[],
  search: string,
): Promise<string[]> {
  const text = search.normalize("NFC").trim().toLowerCase();
  const parts = partsOfAgents("message", agentIds);
  if ([...text].length < MIN_LENGTH || parts.length === 0) return [];
  const newest = reader
    .createQueryBuilder(Message, "message")
    .select("message.conversation_id", "conversation_id")
    .addSelect("lower(message.message)", "text")
    .addSelect("lower(message.subject)", "subject")
    .where("message.conversation_id IS NOT NULL")
    .orderBy("message.id", "DESC")
    .limit(Math.ceil(SEARCHED_MESSAGES / parts.length));
  const spellings = Object.fromEntries(spellingsOf(text).map((spelling, i) => [`spelling${i}`, spelling]));
  const contains = Object.keys(spellings).flatMap((name) =>
    // Finds texts faster than LIKE, which takes seconds for repetitive texts.
    ["text", "subject"].map((column) => `replace(recent.${column}, :${name}, '') <> recent.${column}`),
  );
  const found = await fromParts(reader, newest, parts, "recent")
    .select("DISTINCT recent.conversation_id", "id")
    .where(contains.join(" OR "), spellings)
    .limit(MAX_FOUND)
    .getRawMany<{ id: string }>();
  return found.map(({ id }) => id);
}

/** Returns the usual spellings of a text, because SQLite's `lower` changes only ASCII letters. */
function spellingsOf(text: string): string[] {
  const [first = ""] = text;
  const capitalized = first.toUpperCase() + text.slice(first.length);
  const spellings = [text, text.toUpperCase(), capitalized].map((spelling) =>
    spelling.replace(/[A-Z]/g, (letter) => letter.toLowerCase()),
  );
  return [...new Set(spellings)];
}
