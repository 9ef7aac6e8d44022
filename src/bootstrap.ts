import { operatorFor } from "./auth/context";
import { PERMISSIONS } from "./auth/permissions";
import { randomBase62 } from "./credentials/base62";
import type { Services } from "./features";
import { Organization } from "./features/organizations/organization.entity";

/** The records created by the first start, with secrets that are printed only once. */
export interface BootstrapResult {
  organization: string;
  agent: string;
  ownerEmail: string;
  /** The owner's generated password; undefined if a setting provides the password. */
  ownerPassword: string | undefined;
  keyName: string;
  keySecret: string;
}

/**
 * Creates the first organization, agent, owner and API key in an empty database, in one transaction. If
 * several processes start concurrently, only one of them does this.
 * @returns the created records, or undefined if an organization already exists
 */
export async function bootstrap({
  database,
  config,
  organizations,
  agents,
  members,
  keys,
}: Services): Promise<BootstrapResult | undefined> {
  if (await database.read((reader) => reader.exists(Organization))) return undefined;
  const { ownerEmail, ownerPassword, apiKeyName } = config.bootstrap;
  const password = ownerPassword ?? randomBase62(20);
  return database.withMigrationLock(async (tx) => {
    if (await tx.exists(Organization)) return undefined;
    const organization = await organizations.create({ slug: "first", name: "First organization" }, tx);
    const context = operatorFor(organization);
    const agent = await agents.create(context, { slug: "first-agent", name: "First agent" }, tx);
    const permissions = [...PERMISSIONS];
    const owner = await members.create(context, { email: ownerEmail, password, permissions }, tx);
    const { apiKey, secret } = await keys.create(context, { agentId: agent.id, name: apiKeyName }, tx);
    return {
      organization: organization.slug,
      agent: agent.slug,
      ownerEmail: owner.email,
      ownerPassword: ownerPassword === undefined ? password : undefined,
      keyName: apiKey.name,
      keySecret: secret,
    };
  });
}
