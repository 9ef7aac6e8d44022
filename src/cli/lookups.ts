import type { Command } from "commander";
import { GatewayError } from "../errors";
import type { Agent } from "../features/agents/agent.entity";
import type { ApiKey } from "../features/api-keys/api-key.entity";
import type { Line } from "../features/lines/line.entity";
import type { Member } from "../features/members/member.entity";
import { query, type Run } from "./client";
import { withRun } from "./connect";

type NamedAgent = Pick<Agent, "id" | "slug" | "name">;

const AGENTS = query("agents", "", "id slug name");

/** @throws GatewayError `not_found` */
function named<T>(found: readonly T[], is: (each: T) => boolean, what: string): T {
  const match = found.find(is);
  if (match === undefined) throw new GatewayError("not_found", `There is no ${what}.`);
  return match;
}

/** @throws GatewayError `not_found` */
const agentOf = async (run: Run, slug: string): Promise<NamedAgent> =>
  named(await run<NamedAgent[]>(AGENTS), (each) => each.slug === slug, `agent "${slug}"`);

/** Returns the ID of the agent that the user specified; undefined if the user specified none. */
export const agentIdOf = async (run: Run, slug: string | undefined): Promise<string | undefined> =>
  slug === undefined ? undefined : (await agentOf(run, slug)).id;

/** Runs `work` with the agent that the user specified. */
export const withAgent = <T>(slug: string, work: (run: Run, agent: NamedAgent) => Promise<T>): Promise<T> =>
  withRun({ agent: slug }, async (run) => work(run, await agentOf(run, slug)));

type NamedKey = Pick<ApiKey, "id" | "hint" | "name">;

const KEY = query("apiKey", "id: ID!", "id hint name");
const KEYS = query("apiKeys", "search: String, first: Int!", "nodes { id hint name }");

/** Runs `work` with the key that the user specified by ID or hint. */
export const withKey = <T>(which: string, work: (run: Run, key: NamedKey) => Promise<T>): Promise<T> =>
  withRun({ key: which }, async (run) => {
    const byId = await run<NamedKey | null>(KEY, { id: which });
    if (byId !== null) return work(run, byId);
    const { nodes } = await run<{ nodes: NamedKey[] }>(KEYS, { search: which, first: 100 });
    return work(
      run,
      named(nodes, ({ hint }) => hint === which, `API key "${which}"`),
    );
  });

type NamedLine = Pick<Line, "id" | "name" | "previousSecretUntil">;

const LINES = query("lines", "agentId: ID", "id name previousSecretUntil");

/** Runs `work` with the line that the user specified by ID or name. */
export const withLine = <T>(
  agent: string,
  which: string,
  work: (run: Run, line: NamedLine) => Promise<T>,
): Promise<T> =>
  withAgent(agent, async (run, { id: agentId }) => {
    const lines = await run<NamedLine[]>(LINES, { agentId });
    const is = ({ id, name }: NamedLine) => name === which || id === which;
    return work(run, named(lines, is, `line "${which}"`));
  });

type NamedMember = Pick<Member, "id" | "email" | "organization">;

const MEMBERS = query("members", "", "id email organization { slug }");

/** Runs `work` with the member that the user specified by e-mail address. */
export const withMember = <T>(
  email: string,
  work: (run: Run, member: NamedMember) => Promise<T>,
): Promise<T> =>
  withRun({ member: email }, async (run) => {
    const is = (each: NamedMember) => each.email === email.trim().toLowerCase();
    return work(run, named(await run<NamedMember[]>(MEMBERS), is, `member "${email}"`));
  });

/** Adds the option for the organization; a server derives the organization from the key. */
export const addOrganizationOption = (command: Command): Command =>
  command.option("--org <slug>", "slug of the organization; required without --url");
