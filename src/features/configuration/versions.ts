import { type EntityManager, In, MoreThan } from "typeorm";
import type { RequestContext } from "../../auth/context";
import { timestamp } from "../../common/time";
import { derivedId } from "../../common/uuid";
import { inChunks } from "../../database/chunks";
import type { Database } from "../../database/database";
import type { Tx } from "../../database/unit-of-work";
import type { Lanes } from "../../delivery/lanes";
import { RELEASE_LANE } from "../../delivery/wake-lanes";
import { GatewayError, noSuch } from "../../errors";
import { Agent } from "../agents/agent.entity";
import type { PurgeStep } from "../agents/agent-purge";
import { actorOf } from "../audit/audit";
import { recordEvents } from "../events/record-events";
import { ConfigurationDraft } from "./configuration-draft.entity";
import { ConfigurationVersion } from "./configuration-version.entity";
import { digestOf } from "./document/canonical-json";

/** Inserts a version, which becomes the live version. */
export async function insertVersion(
  tx: Tx,
  lanes: Lanes,
  context: RequestContext,
  agentId: string,
  given: Pick<ConfigurationVersion, "version" | "document" | "note" | "restoredFrom">,
): Promise<ConfigurationVersion> {
  const version = tx.create(ConfigurationVersion, {
    ...given,
    agentId,
    digest: digestOf(given.document),
    publishedAt: timestamp(),
    publishedBy: actorOf(context.caller).actorName,
  });
  await tx.insert(ConfigurationVersion, version as object);
  if (version.version > 1)
    await tx.update(
      Agent,
      { id: agentId },
      { policyVersion: version.document.policy === undefined ? null : version.version },
    );
  const { version: number, digest, note, restoredFrom } = version;
  recordEvents(tx, [
    {
      agentId,
      type: "configuration.published",
      subject: `configuration:${agentId}`,
      data: { version: number, digest, note, restoredFrom },
    },
  ]);
  // The lane for releasing conversations exists only while the live version sets `releaseAfter`.
  if (version.document.releaseAfter !== undefined)
    await lanes.add(tx, [{ id: derivedId("release", agentId), agentId, kind: RELEASE_LANE }]);
  return version;
}

/** Returns an agent's live version; every agent has one. */
export const liveVersion = (reader: EntityManager, agentId: string): Promise<ConfigurationVersion> =>
  reader.findOneOrFail(ConfigurationVersion, { where: { agentId }, order: { version: "DESC" } });

/** @throws GatewayError `version_conflict` if another version is live */
export async function assertLive(
  reader: EntityManager,
  agentId: string,
  expected: number,
): Promise<ConfigurationVersion> {
  const live = await liveVersion(reader, agentId);
  if (live.version !== expected)
    throw new GatewayError("version_conflict", `Version ${live.version} is live.`);
  return live;
}

/**
 * Returns a version's document, or the draft's document and revision.
 * @throws GatewayError `not_found`
 */
export async function documentToPublish(
  reader: EntityManager,
  agentId: string,
  version: number | null,
): Promise<{ document: object; revision: number | undefined }> {
  if (version !== null) {
    const earlier = await reader.findOneBy(ConfigurationVersion, { agentId, version });
    if (!earlier) throw noSuch("version");
    return { document: earlier.document, revision: undefined };
  }
  const draft = await reader.findOneBy(ConfigurationDraft, { agentId });
  if (!draft) throw noSuch("draft");
  return draft;
}

/** Max versions deleted per statement; each has a document of up to 1 MiB. */
const MAX_PURGED = 100;

/** Deletes a deleted agent's versions, oldest first. */
export const purgeVersions =
  (database: Database): PurgeStep =>
  (agentId, options) =>
    inChunks<number>(
      database,
      async (tx, after = 0, limit) => {
        const take = Math.min(limit, MAX_PURGED);
        const order = { version: "ASC" } as const;
        const rows = await tx.find(ConfigurationVersion, {
          select: ["version"],
          where: { agentId, version: MoreThan(after) },
          order,
          take,
        });
        const version = In(rows.map((row) => row.version));
        if (rows.length > 0) await tx.delete(ConfigurationVersion, { agentId, version });
        return rows.length < take ? undefined : rows.at(-1)?.version;
      },
      options,
    );
