// One class, because saving and publishing check the same document, lock the same agent and compare the same
// revisions.

import { LessThan, Not } from "typeorm";
import { assertSignedIn } from "../../auth/assert-signed-in";
import { ownerOf } from "../../auth/caller";
import { organizationOf, type RequestContext } from "../../auth/context";
import { Permission } from "../../auth/permissions";
import { timestamp } from "../../common/time";
import type { Database } from "../../database/database";
import { Semaphore } from "../../database/semaphore";
import type { Lanes } from "../../delivery/lanes";
import { GatewayError, InvalidInput, MAX_PROBLEMS } from "../../errors";
import { countRows } from "../../pagination/total-count";
import type { HookRegistry } from "../../schema/hooks";
import { Agent } from "../agents/agent.entity";
import { lockAgent, scopedAgentId } from "../agents/agent-scope";
import { actorOf, recordAudit } from "../audit/audit";
import { Line, LineState } from "../lines/line.entity";
import { configurationActions } from "./configuration.audit";
import type { ConfigurationVersionsArgs, PublishConfigurationInput } from "./configuration.inputs";
import {
  Configuration,
  type ConfigurationTestDifference,
  ConfigurationVersionConnection,
  type SavedConfigurationDraft,
} from "./configuration.outputs";
import { ConfigurationDraft } from "./configuration-draft.entity";
import { ConfigurationVersion } from "./configuration-version.entity";
import type { ConfigurationDecider } from "./decider";
import { checkDocument, type DocumentCheck } from "./document/check-document";
import type { ConfigurationDocument } from "./document/format";
import { storageProblem } from "./document/parse-document";
import { tokenProblems } from "./document/token-problems";
import type { Surroundings } from "./document/warnings";
import { assertLive, documentToPublish, insertVersion, liveVersion } from "./versions";

const REQUIRED = { permission: Permission.config_manage };

/** A version's columns that are shown in lists. */
const LISTED = {
  agentId: true,
  version: true,
  digest: true,
  note: true,
  restoredFrom: true,
  publishedAt: true,
  publishedBy: true,
} as const;

/** Max time a check can wait for other checks (ms). */
const CHECK_TIMEOUT_MS = 10_000;

/** Checks, saves and publishes agents' configurations, with changes to an agent's serialized. */
export class ConfigurationService {
  /** Limits checks to one at a time, because concurrent checks would starve other requests. */
  private readonly checks = new Semaphore(1);

  constructor(
    private readonly database: Database,
    private readonly lanes: Lanes,
    private readonly decider: ConfigurationDecider,
    private readonly hasPublicUrl: boolean,
    private readonly hooks: HookRegistry,
  ) {}

  /**
   * Finds an agent's live configuration or an earlier version; null if the version does not exist.
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

  /** Finds a version the way `find` does, and also returns the agent's current lines and decider. */
  async readBack(
    context: RequestContext,
    agent: string | null | undefined,
    version?: number | null,
  ): Promise<Configuration | null> {
    const found = await this.find(context, agent, version);
    if (found === null) return null;
    const lines = await this.database.read((reader) =>
      reader.find(Line, { where: { agentId: found.agentId }, order: { name: "ASC" } }),
    );
    return Object.assign(new Configuration(), found, { lines, decider: this.decider });
  }

  /**
   * Returns one page of an agent's versions, newest first, without their documents.
   * @throws GatewayError `invalid_request`, `invalid_cursor`, `not_found` (agent)
   */
  versions(
    context: RequestContext,
    { agentId: agent, ...args }: ConfigurationVersionsArgs,
  ): Promise<ConfigurationVersionConnection> {
    const page = ConfigurationVersionConnection.pageOf(args);
    return this.database.read(async (reader) => {
      const agentId = await scopedAgentId(reader, context, agent);
      const rows = await reader.find(ConfigurationVersion, {
        select: LISTED,
        where: { agentId, ...(page.after !== undefined && { version: LessThan(Number(page.after)) }) },
        order: { version: "DESC" },
        take: page.limit + 1,
      });
      return new ConfigurationVersionConnection(rows, page, () =>
        this.database.report(organizationOf(context), (reader) =>
          countRows(reader, reader.createQueryBuilder(ConfigurationVersion, "version").where({ agentId })),
        ),
      );
    });
  }

  /**
   * Returns an agent's draft; null if there is none.
   * @throws GatewayError `invalid_request`, `not_found` (agent)
   */
  draft(context: RequestContext, agent: string | null | undefined): Promise<ConfigurationDraft | null> {
    return this.database.read(async (reader) => {
      const agentId = await scopedAgentId(reader, context, agent);
      return reader.findOneBy(ConfigurationDraft, { agentId });
    });
  }

  /**
   * Checks a document; checks run one at a time, and organizations take turns.
   * @param agent ID of the agent to check lines against; if omitted, they are not checked
   * @throws GatewayError `not_found` (agent), `unavailable` if the wait is too long
   */
  async check(context: RequestContext, document: unknown, agent?: string | null): Promise<DocumentCheck> {
    const organizationId = organizationOf(context);
    const surroundings = agent == null ? undefined : await this.surroundingsOf(context, agent);
    return this.checks.run(CHECK_TIMEOUT_MS, organizationId, () => checkDocument(document, surroundings));
  }

  private surroundingsOf(context: RequestContext, agent: string): Promise<Surroundings> {
    return this.database.read(async (reader) => {
      const agentId = await scopedAgentId(reader, context, agent);
      const lines = await reader.find(Line, {
        select: ["name", "state"],
        where: { agentId, state: Not(LineState.archived) },
        order: { name: "ASC" },
      });
      return {
        lines: lines.map(({ name }) => name),
        paused: lines.flatMap(({ name, state }) => (state === LineState.paused ? [name] : [])),
        hasModel: this.decider.model !== null,
        hasPublicUrl: this.hasPublicUrl,
      };
    });
  }

  /**
   * Saves an agent's draft, even if the draft has problems.
   * @param expectedRevision the revision that the caller has seen; 0 if there is no draft
   * @param expectedBasedOn the version that the draft is or would be based on; null for any version
   * @throws GatewayError `invalid_request`, `not_found` (agent), `version_conflict`
   */
  async saveDraft(
    context: RequestContext,
    agent: string | null | undefined,
    document: Record<string, unknown>,
    expectedRevision: number,
    expectedBasedOn?: number | null,
  ): Promise<SavedConfigurationDraft> {
    const problem = storageProblem(document);
    if (problem !== undefined) throw new InvalidInput([{ path: "input.document", message: problem }]);
    const tokens = tokenProblems(document);
    if (tokens.length > 0) throw new InvalidInput(tokens);
    const check = await this.check(context, document, agent);
    const draft = await this.database.writeFor(ownerOf(context.caller), async (tx) => {
      await assertSignedIn(tx, context, REQUIRED);
      const agentId = await scopedAgentId(tx, context, agent);
      await lockAgent(tx, agentId);
      const before = await tx.findOneBy(ConfigurationDraft, { agentId });
      const revision = before?.revision ?? 0;
      if (revision !== expectedRevision) throw revisionConflict(revision);
      const basedOn = before?.basedOn ?? (await liveVersion(tx, agentId)).version;
      if (basedOn !== (expectedBasedOn ?? basedOn))
        throw new GatewayError("version_conflict", `Version ${basedOn} has been published.`);
      const draft = tx.create(ConfigurationDraft, {
        agentId,
        document,
        revision: revision + 1,
        basedOn,
        updatedAt: timestamp(),
        updatedBy: actorOf(context.caller).actorName,
      });
      await tx.save(draft);
      return draft;
    });
    return { draft, check };
  }

  /**
   * Publishes the draft, which is then deleted, a document or an earlier version.
   * @throws GatewayError `invalid_request` with the problems in the document or the differences found by its
   *   tests, `not_found` (agent, version, draft), `version_conflict` if another version is live or the draft
   *   has changed
   */
  async publish(
    context: RequestContext,
    { agentId: agent, fromVersion = null, document: given, ...input }: PublishConfigurationInput,
  ): Promise<ConfigurationVersion> {
    const { note = null, ignoreTests = null, ...expected } = input;
    const { document, revision } = given
      ? { document: given, revision: undefined }
      : await this.database.read(async (reader) => {
          const agentId = await scopedAgentId(reader, context, agent);
          // Checked before the draft is read: a concurrent publication may have deleted the draft, which must
          // be reported as `version_conflict` rather than `not_found`.
          await assertLive(reader, agentId, expected.expectedLiveVersion);
          return documentToPublish(reader, agentId, fromVersion);
        });
    if (revision !== undefined && revision !== (expected.expectedRevision ?? revision))
      throw revisionConflict(revision);
    // The tests run outside the transaction, because they may take a long time.
    const checked = fromVersion === null ? await this.valid(context, document) : undefined;
    const failed =
      checked?.tests === undefined ? [] : await this.hooks.the("configurationTested")(context, checked);
    if (failed.length > 0 && ignoreTests === null) throw testsFailed(failed);
    return this.database.writeFor(ownerOf(context.caller), async (tx) => {
      await assertSignedIn(tx, context, REQUIRED);
      const agentId = await scopedAgentId(tx, context, agent);
      await lockAgent(tx, agentId);
      const live = await assertLive(tx, agentId, expected.expectedLiveVersion);
      if (revision !== undefined) {
        const { affected } = await tx.delete(ConfigurationDraft, { agentId, revision });
        if (affected === 0) throw new GatewayError("version_conflict", "The draft has changed.");
      }
      const published = await insertVersion(tx, this.lanes, context, agentId, {
        version: live.version + 1,
        document: document as ConfigurationDocument,
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
        ignoredTests: [null, failed.length === 0 ? null : ignoreTests],
      });
      return published;
    });
  }

  /** @throws InvalidInput with the problems in the document */
  private async valid(context: RequestContext, document: object): Promise<ConfigurationDocument> {
    const { problems, document: checked } = await this.check(context, document);
    if (checked !== undefined && problems.length === 0) return checked;
    throw new InvalidInput(
      problems.map(({ path, message, position: at }) => ({
        path: path || "document",
        message: at ? `${message} (line ${at.line}, column ${at.column})` : message,
      })),
    );
  }
}

declare module "../../schema/hooks" {
  interface Hooks {
    /** Runs a valid document's tests and returns the differences; implemented by exactly one feature. */
    configurationTested: (
      context: RequestContext,
      document: ConfigurationDocument,
    ) => Promise<readonly ConfigurationTestDifference[]>;
  }
}

/** Returns the error for a document whose tests fail. The error lists the first differences. */
function testsFailed(differences: readonly ConfigurationTestDifference[]): InvalidInput {
  const tests = differences.slice(0, MAX_PROBLEMS);
  return new InvalidInput(
    tests.map(({ testId, path, message }) => ({ path, message: `(${testId}) ${message}` })),
    { tests },
  );
}

const revisionConflict = (revision: number) =>
  new GatewayError(
    "version_conflict",
    revision === 0 ? "There is no draft." : `The draft is at revision ${revision}.`,
  );
