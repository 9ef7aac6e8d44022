import { operatorFor, type RequestContext } from "../../src/auth/context";
import { Permission } from "../../src/auth/permissions";
import { Agent } from "../../src/features/agents/agent.entity";
import type { NewInvitation } from "../../src/features/members/invitation.inputs";
import { Organization } from "../../src/features/organizations/organization.entity";
import { mint, operator, type Reply, type TestGateway } from "./gateway";

export const TEST_PASSWORD = "a password for tests only";
const NOWHERE = { ip: null, userAgent: null, requestId: null };

/** A member with a session. */
export interface TestMember {
  id: string;
  email: string;
  password: string;
  /** Session token. */
  token: string;
}

/**
 * Opens a session without an address, so that no address is throttled.
 * @returns its token
 */
export async function openSession(
  gateway: TestGateway,
  { email, password }: Pick<TestMember, "email" | "password">,
): Promise<string> {
  const context = { caller: { kind: "anonymous" as const }, origin: NOWHERE };
  return (await gateway.services.sessions.signIn(context, { email, password })).token;
}

/** Adds a member with these permissions, or with config:manage for `manage`, and signs them in. */
export async function addMember(
  gateway: TestGateway,
  {
    org = "first",
    manage = false,
    permissions = manage ? [Permission.config_manage] : [],
    email = `${Math.random().toString(36).slice(2)}@example.com`,
  }: { org?: string; manage?: boolean; permissions?: Permission[]; email?: string } = {},
): Promise<TestMember> {
  const input = { email, password: TEST_PASSWORD, permissions };
  const { id } = await gateway.services.members.create(await operator(gateway, org), input);
  return {
    id,
    email,
    password: TEST_PASSWORD,
    token: await openSession(gateway, { email, password: TEST_PASSWORD }),
  };
}

/** Invites a new person to an organization, on behalf of its operator. */
export async function invite(
  gateway: TestGateway,
  {
    org = "first",
    permissions = [],
    email = `${Math.random().toString(36).slice(2)}@example.com`,
  }: { org?: string; permissions?: Permission[]; email?: string } = {},
): Promise<NewInvitation & { link: string }> {
  const made = await gateway.services.invitations.invite(await operator(gateway, org), {
    email,
    permissions,
  });
  return { ...made, link: made.link ?? "" };
}

/** Adds an organization with one agent, `<slug>-agent`, and one manager. */
export async function addOrganization(
  gateway: TestGateway,
  slug: string,
): Promise<{ id: string; agentId: string; manager: TestMember }> {
  const { id } = await gateway.services.organizations.create({ slug, name: `Organization ${slug}` });
  const agent = { slug: `${slug}-agent`, name: `Agent of ${slug}` };
  const { id: agentId } = await gateway.services.agents.create(await operator(gateway, slug), agent);
  return { id, agentId, manager: await addMember(gateway, { org: slug, manage: true }) };
}

/** Adds an agent, with a random slug by default, and a key of it. */
export async function addAgent(
  gateway: TestGateway,
  slug = `agent-${Math.random().toString(36).slice(2)}`,
  org = "first",
): Promise<{ id: string; slug: string; token: string }> {
  const agent = { slug, name: `Agent ${slug}` };
  const { id } = await gateway.services.agents.create(await operator(gateway, org), agent);
  return { id, slug, token: (await mint(gateway, { agent: slug })).secret };
}

export const firstAgentId = async (gateway: TestGateway): Promise<string> =>
  (await gateway.services.agents.bySlug("first-agent")).id;

/** Returns the error code of a call to either API; undefined for a success. */
export const codeOf = ({ body }: Reply): string | undefined =>
  body?.errors?.[0]?.extensions?.code ?? (body?.status === undefined ? undefined : body.code);

/** Returns the operator of an agent's organization. */
export async function operatorOfAgent({ services }: TestGateway, agentId: string): Promise<RequestContext> {
  const organization = await services.database.read(async (reader) => {
    const { organizationId } = await reader.findOneByOrFail(Agent, { id: agentId });
    return reader.findOneByOrFail(Organization, { id: organizationId });
  });
  return operatorFor(organization);
}
