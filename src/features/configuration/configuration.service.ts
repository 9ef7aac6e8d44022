import { type EntityManager, LessThan } from "typeorm";
import { assertSignedIn } from "../../auth/assert-signed-in";
import { organizationOf, type RequestContext } from "../../auth/context";
import { Permission } from "../../auth/permissions";
import { timestamp } from "../../common/time";
import type { Database } from "../../database/database";
import { GatewayError, InvalidInput, noSuch } from "../../errors";
import { jsonProblem } from "../../schema/json-object";
import { Agent } from "../agents/agent.entity";
import { lockAgent, scopedAgentId } from "../agents/agent-scope";
import { actorOf, recordAudit } from "../audit/audit";
import { configurationActions } from "./configuration.audit";
import { DOCUMENT_MAX_BYTES } from "./configuration.limits";
import { ConfigurationDraft } from "./configuration-draft.entity";
import { ConfigurationVersion } from "./configuration-version.entity";
import { digestOf } from "./document/canonical-json";
import { checkDocument, type DocumentCheck } from "./document/check-document";
import type { ConfigurationDocument } from "./document/format";
import type { Problem } from "./document/problem";

const REQUIRED = { permission: Permission.config_manage };

/** A draft, and what is wrong with it. */
export interface SavedDraft {
  draft: ConfigurationDraft;
  check: DocumentCheck;
}

/** What is published: the draft, or an earlier version again. */
export interface Publication {
  agentId?: string | null | undefined;
  /** The version that the caller takes for the live one. */
  expectedLiveVersion: number;
  fromVersion?: number | null | undefined;
  note?: string | null | undefined;
}

/** The configurations of agents. Changes of one agent's configuration run one after the other. */
export class ConfigurationService {
  constructor(private readonly database: Database) {}

  /**
   * The live configuration of the calling agent, or of the agent that a member names; or an earlier version.
   * @returns null if there is no such version
   * @throws GatewayError `invalid_request`, `not_found` (agent)
   */
  find(
    context: RequestContext,
    agent: string | null | undefined,
    version?: number | null,
  ): Promise<ConfigurationVersion | null> {
    return this.database.read(async (reader) => {
      const agentId = await scopedAgentId(reader, context, agent);
      return version == null
        ? liveVersion(reader, agentId)
        : reader.findOneBy(ConfigurationVersion, { agentId, version });
    });
  }

  /**
   * The versions of an agent, newest first.
   * @param before only versions with a lower number
   * @throws GatewayError `invalid_request`, `not_found` (agent)
   */
  versions(
    context: RequestContext,
    agent: string | null | undefined,
    { first, before }: { first: number; before?: number | null },
  ): Promise<ConfigurationVersion[]> {
    return this.database.read(async (reader) => {
      const agentId = await scopedAgentId(reader, context, agent);
      return reader.find(ConfigurationVersion, {
        where: { agentId, ...(before != null && { version: LessThan(before) }) },
        order: { version: "DESC" },
        take: first,
      });
    });
  }

  /**
   * The draft of an agent; null if there is none.
   * @throws GatewayError `invalid_request`, `not_found` (agent)
   */
  draft(context: RequestContext, agent: string | null | undefined): Promise<ConfigurationDraft | null> {
    return this.database.read(async (reader) => {
      const agentId = await scopedAgentId(reader, context, agent);
      return reader.findOneBy(ConfigurationDraft, { agentId });
    });
  }

  /**
   * Saves the draft of an agent, whatever is wrong with it.
   * @param expectedRevision the revision that the caller has seen; 0 if there is no draft
   * @throws GatewayError `invalid_request`, `not_found` (agent), `version_conflict`
   */
  async saveDraft(
    context: RequestContext,
    agent: string | null | undefined,
    document: Record<string, unknown>,
    expectedRevision: number,
  ): Promise<SavedDraft> {
    const problem = jsonProblem(document, DOCUMENT_MAX_BYTES);
    if (problem !== undefined) throw new InvalidInput([{ path: "document", message: problem }]);
    const check = await checkDocument(document);
    const draft = await this.database.write(async (tx) => {
      await assertSignedIn(tx, context, REQUIRED);
      const agentId = await scopedAgentId(tx, context, agent);
      await lockAgent(tx, agentId);
      const before = await tx.findOneBy(ConfigurationDraft, { agentId });
      const revision = before?.revision ?? 0;
      if (revision !== expectedRevision) throw revisionConflict(revision);
      const draft = tx.create(ConfigurationDraft, {
        agentId,
        document,
        revision: revision + 1,
        basedOn: before?.basedOn ?? (await liveVersion(tx, agentId)).version,
        updatedAt: timestamp(),
        updatedBy: actorOf(context.caller).actorName,
      });
      await tx.save(draft);
      return draft;
    });
    return { draft, check };
  }

  /**
   * Publishes the draft, which then ends, or an earlier version again. The earlier version leaves the draft as it is.
   * @throws GatewayError `invalid_request` with the problems of the draft, `not_found` (agent, version, draft),
   *   `version_conflict` if another version is live or the draft has changed
   */
  async publish(
    context: RequestContext,
    { agentId: agent, expectedLiveVersion, fromVersion = null, note = null }: Publication,
  ): Promise<ConfigurationVersion> {
    const { document, revision } = await this.database.read(async (reader) => {
      const agentId = await scopedAgentId(reader, context, agent);
      return documentToPublish(reader, agentId, fromVersion);
    });
    // Outside of the transaction, because it may take long.
    const checked = fromVersion === null ? await validDocument(document) : document;
    return this.database.write(async (tx) => {
      await assertSignedIn(tx, context, REQUIRED);
      const agentId = await scopedAgentId(tx, context, agent);
      await lockAgent(tx, agentId);
      const live = await liveVersion(tx, agentId);
      if (live.version !== expectedLiveVersion) {
        throw new GatewayError("version_conflict", `Version ${live.version} is live.`);
      }
      if (fromVersion === null) {
        const { affected } = await tx.delete(ConfigurationDraft, { agentId, revision });
        if (affected === 0) throw new GatewayError("version_conflict", "The draft has changed.");
      }
      const published = await insertVersion(tx, context, agentId, {
        version: live.version + 1,
        document: checked as ConfigurationDocument,
        note,
        restoredFrom: fromVersion,
      });
      const { slug: name } = await tx.findOneByOrFail(Agent, { id: agentId });
      const target = { id: agentId, name, organizationId: organizationOf(context) };
      await recordAudit(tx, context, configurationActions.configuration_published, target, {
        version: [String(live.version), String(published.version)],
        digest: [live.digest, published.digest],
        restoredFrom: [null, fromVersion === null ? null : String(fromVersion)],
        note: [null, note],
      });
      return published;
    });
  }
}

/** Publishes a version. */
export async function insertVersion(
  tx: EntityManager,
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
  await tx.insert(ConfigurationVersion, version);
  return version;
}

/** The live version of an agent, which always has one. */
const liveVersion = (reader: EntityManager, agentId: string): Promise<ConfigurationVersion> =>
  reader.findOneOrFail(ConfigurationVersion, { where: { agentId }, order: { version: "DESC" } });

async function documentToPublish(
  reader: EntityManager,
  agentId: string,
  version: number | null,
): Promise<{ document: object; revision: number }> {
  if (version !== null) {
    const earlier = await reader.findOneBy(ConfigurationVersion, { agentId, version });
    if (!earlier) throw noSuch("version");
    return { document: earlier.document, revision: 0 };
  }
  const draft = await reader.findOneBy(ConfigurationDraft, { agentId });
  if (!draft) throw noSuch("draft");
  return draft;
}

/** @throws InvalidInput with the problems of the document */
async function validDocument(document: object): Promise<object> {
  const { problems } = await checkDocument(document);
  if (problems.length === 0) return document;
  throw new InvalidInput(
    problems.map((problem) => ({
      path: problem.path || "document",
      message: `${problem.message}${placeOf(problem)}`,
    })),
  );
}

const placeOf = ({ position }: Problem): string =>
  position ? ` (line ${position.line}, column ${position.column})` : "";

const revisionConflict = (revision: number) =>
  new GatewayError(
    "version_conflict",
    revision === 0 ? "There is no draft." : `The draft is at revision ${revision}.`,
  );
