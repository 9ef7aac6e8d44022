import type { EntityManager } from "typeorm";
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
  const recent = parts.map(({ condition }, i) => {
    const page = reader
      .createQueryBuilder(Message, "message")
      .select("message.conversation_id", "conversation_id")
      .addSelect("lower(message.message)", "text")
      .addSelect("lower(message.subject)", "subject")
      .where(condition)
      .andWhere("message.conversation_id IS NOT NULL")
      .orderBy("message.id", "DESC")
      .limit(Math.ceil(SEARCHED_MESSAGES / parts.length));
    return `SELECT * FROM (${page.getQuery()}) AS part_${i}`;
  });
  const spellings = Object.fromEntries(spellingsOf(text).map((spelling, i) => [`spelling${i}`, spelling]));
  const found = await reader
    .createQueryBuilder()
    .select("DISTINCT recent.conversation_id", "id")
    .from(`(${recent.join(" UNION ALL ")})`, "recent")
    .where(
      Object.keys(spellings)
        .flatMap((name) => ["text", "subject"].map((column) => `recent.${column} LIKE :${name} ESCAPE '!'`))
        .join(" OR "),
    )
    .setParameters(Object.assign(spellings, ...parts.map(({ parameters }) => parameters)))
    .limit(MAX_FOUND)
    .getRawMany<{ id: string }>();
  return found.map(({ id }) => id);
}

/** Returns patterns for the usual spellings of a text, because SQLite's `lower` changes only ASCII letters. */
function spellingsOf(text: string): string[] {
  const upper = text.toUpperCase();
  const [first = ""] = text;
  const capitalized = first.toUpperCase() + text.slice(first.length);
  const spellings = [text, upper, capitalized].map((spelling) =>
    spelling.replace(/[A-Z]/g, (letter) => letter.toLowerCase()),
  );
  return [...new Set(spellings)].map((spelling) => `%${spelling.replace(/[!%_]/g, "!$&")}%`);
}
