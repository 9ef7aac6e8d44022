import { In, IsNull, Not } from "typeorm";
import type { RequestContext } from "../../auth/context";
import { Permission } from "../../auth/permissions";
import { baseUrlOf } from "../../base-url";
import { chunked } from "../../common/chunked";
import { groupBy } from "../../common/group-by";
import { timestamp } from "../../common/time";
import type { Tx } from "../../database/unit-of-work";
import type { Core } from "../../schema/feature";
import { ApiKey } from "../api-keys/api-key.entity";
import { recordAudit } from "../audit/audit";
import { recordEvents } from "../events/record-events";
import { Member } from "../members/member.entity";
import { OAuthRecord } from "../oauth/oauth-record.entity";
import type { Organization } from "../organizations/organization.entity";
import { leakedKeyActions } from "./leaked-key.audit";
import { type LeakReport, leakedHash } from "./leaked-keys.bodies";
import { type LeakedKey, leakedKeysMail } from "./leaked-keys.mail";

/** Max leaked keys to look up in one query or to revoke in one transaction. */
const MAX_TOGETHER = 200;

/** A key found by its own hash or by the hash of its application's access or refresh token. */
interface Found {
  hash: string;
  key: ApiKey;
}

/** A key found by a report, and the URL where it was exposed. */
interface Reported {
  key: ApiKey;
  url: string | null;
}

type ContextOf = (organization: Organization) => RequestContext;

/** Revokes leaked keys, effective on the next request. */
export class LeakedKeysService {
  private readonly mailing = new Set<Promise<void>>();

  constructor(
    private readonly services: Pick<Core, "database" | "config" | "log" | "rejectedTokens" | "sendMail">,
  ) {}

  /**
   * Revokes a key on behalf of anyone who holds the key or one of its application's tokens. An unknown key
   * counts as a guessing attempt; revoking a revoked key has no effect.
   * @throws GatewayError `too_many_attempts`
   */
  async revokeOne(context: RequestContext, token: string): Promise<void> {
    const { rejectedTokens } = this.services;
    const find = async (hash: string) => (await this.find([hash]))[0];
    const found = await rejectedTokens.find(leakedHash(token), context.origin.ip, find);
    if (found?.key.revokedAt === null)
      this.notify(await this.revokeTogether(() => context, [{ key: found.key, url: null }]));
  }

  /**
   * Revokes the keys in a report, and the keys of applications whose tokens it lists; skips other text.
   * @returns the keys revoked by this call
   */
  async revoke(contextOf: ContextOf, reports: readonly LeakReport[]): Promise<LeakedKey[]> {
    const byHash = new Map<string, string | null>();
    for (const { token, url } of reports) {
      const hash = leakedHash(token);
      if (hash !== undefined) byHash.set(hash, byHash.get(hash) ?? url);
    }
    const revoked: Reported[] = [];
    try {
      for (const hashes of chunked([...byHash.keys()], MAX_TOGETHER)) {
        const found = await this.find(hashes);
        const active = found.filter(({ key }) => key.revokedAt === null);
        const reported = active.map(({ key, hash }) => ({ key, url: byHash.get(hash) ?? null }));
        for (const keys of groupBy(reported, organizationIdOf).values())
          revoked.push(...(await this.revokeTogether(contextOf, keys)));
      }
    } finally {
      // Notifies even after a failure, because a retried report skips keys that have already been revoked.
      this.notify(revoked);
    }
    return revoked.map(leakedKeyOf);
  }

  /** Resolves once the e-mails about earlier reports have been sent or have failed. */
  async mailed(): Promise<void> {
    await Promise.all(this.mailing);
  }

  /** Returns the distinct keys for the given key and token hashes, except deleted agents' keys. */
  private find(hashes: readonly string[]): Promise<Found[]> {
    return this.services.database.read(async (reader) => {
      const tokens = await reader.findBy(OAuthRecord, { hash: In(hashes), keyId: Not(IsNull()) });
      const hashOf = new Map(tokens.map(({ keyId, hash }) => [keyId, hash]));
      const keys = await reader
        .createQueryBuilder(ApiKey, "key")
        .leftJoinAndSelect("key.agent", "agent")
        .innerJoinAndSelect("key.organization", "organization")
        .where([{ hash: In(hashes) }, { id: In([...hashOf.keys()]) }])
        .andWhere("(agent.id IS NOT NULL OR key.agent_id IS NULL)")
        .getMany();
      return keys.map((key) => ({ key, hash: hashOf.get(key.id) ?? key.hash }));
    });
  }

  /** Revokes keys of one organization, and returns those revoked by this call. */
  private revokeTogether(contextOf: ContextOf, keys: Reported[]): Promise<Reported[]> {
    const organization = organizationOf(keys);
    const context = contextOf(organization);
    // The fixed order prevents deadlocks between concurrent reports.
    const inOrder = keys.sort((a, b) => (a.key.id < b.key.id ? -1 : 1));
    return this.services.database.writeFor(organization.id, async (tx) => {
      const ended: Reported[] = [];
      for (const each of inOrder) if (await end(tx, context, each.key, each.url)) ended.push(each);
      await tx.waitForInserts();
      return ended;
    });
  }

  /** Starts notifying the managers; not awaited, because the response must not depend on the mail server. */
  private notify(revoked: readonly Reported[]): void {
    for (const keys of groupBy(revoked, organizationIdOf).values()) {
      const leaked = keys.map(leakedKeyOf);
      const mailing = this.tellManagers(organizationOf(keys), leaked).finally(() =>
        this.mailing.delete(mailing),
      );
      this.mailing.add(mailing);
    }
  }

  /** E-mails each manager; failures are only logged, because the audit log contains the same information. */
  private async tellManagers(
    organization: Pick<Organization, "id" | "name">,
    keys: readonly LeakedKey[],
  ): Promise<void> {
    const { database, sendMail, log, config } = this.services;
    if (sendMail === undefined) return;
    try {
      const members = await database.read((reader) =>
        reader.findBy(Member, { organizationId: organization.id }),
      );
      const link = `${baseUrlOf(config)}/dashboard/api-keys`;
      for (const { email, permissions } of members) {
        if (!permissions.includes(Permission.config_manage)) continue;
        const failed = await sendMail(leakedKeysMail(email, organization.name, keys, link));
        if (failed !== undefined)
          log.warn({ failure: failed.code }, "could not send a notice about a leaked key");
      }
    } catch (error) {
      log.warn({ err: error }, "could not send a notice about a leaked key");
    }
  }
}

const organizationIdOf = ({ key }: Reported): string => key.organizationId;

/** @param keys one or more keys that belong to the same organization */
const organizationOf = (keys: readonly Reported[]): Organization => keys[0]?.key.organization as Organization;

const leakedKeyOf = ({ key: { id, hint, name, agent }, url }: Reported): LeakedKey => ({
  id,
  hint,
  name,
  agent: agent?.name ?? null,
  url,
});

/** @returns true if this call revoked the key */
async function end(tx: Tx, context: RequestContext, key: ApiKey, url: string | null): Promise<boolean> {
  const { id, agentId, name, hint } = key;
  const now = timestamp();
  const change = { revokedAt: now, leakedAt: now, reservedName: null };
  const { affected } = await tx.update(ApiKey, { id, revokedAt: IsNull() }, change);
  if (affected !== 1) return false;
  await recordAudit(tx, context, leakedKeyActions.api_key_leaked, key, { url: [null, url] });
  if (agentId !== null)
    recordEvents(tx, [
      { agentId, type: "api_key.leaked", subject: `api_key:${id}`, data: { id, name, hint, url } },
    ]);
  return true;
}
