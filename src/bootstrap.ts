import { operatorFor } from "./auth/context";
import { PERMISSIONS } from "./auth/permissions";
import type { Config } from "./config";
import { randomBase62 } from "./credentials/base62";
import { hashPassword } from "./credentials/password";
import { KEY_ENVIRONMENT } from "./credentials/token-format";
import type { Database } from "./database/database";
import { addAgent } from "./features/agents/agent.service";
import { mintKey } from "./features/api-keys/key-changes";
import { addMember } from "./features/members/member.service";
import { Organization } from "./features/organizations/organization.entity";
import { addOrganization } from "./features/organizations/organization.service";

/** The records that the first start created, with secrets that are printed only once. */
export interface BootstrapResult {
  organization: string;
  agent: string;
  ownerEmail: string;
  /** Undefined when a setting provides the password. */
  ownerPassword: string | undefined;
  keyName: string;
  keySecret: string;
}

/**
 * Creates the first organization, agent, owner and API key of an empty database in one transaction, and only once even
 * when several processes start together.
 * @returns the created records, or undefined when an organization exists
 */
export async function bootstrap(
  database: Database,
  { bootstrap: { ownerEmail, ownerPassword, apiKeyName }, environment }: Config,
): Promise<BootstrapResult | undefined> {
  if (await database.read((reader) => reader.exists(Organization))) return undefined;
  const password = ownerPassword ?? randomBase62(20);
  const passwordHash = await hashPassword(password);
  return database.withMigrationLock(async (tx) => {
    if (await tx.exists(Organization)) return undefined;
    const organization = await addOrganization(tx, { slug: "first", name: "First organization" });
    const context = operatorFor(organization);
    const agent = await addAgent(tx, context, { slug: "first-agent", name: "First agent" });
    const owner = await addMember(tx, context, {
      email: ownerEmail,
      passwordHash,
      permissions: [...PERMISSIONS],
    });
    const { secret } = await mintKey(tx, context, agent, {
      name: apiKeyName,
      expiresAt: null,
      scopes: null,
      environment: KEY_ENVIRONMENT[environment],
    });
    return {
      organization: organization.slug,
      agent: agent.slug,
      ownerEmail: owner.email,
      ownerPassword: ownerPassword === undefined ? password : undefined,
      keyName: apiKeyName,
      keySecret: secret,
    };
  });
}
