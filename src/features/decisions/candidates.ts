import type { EntityManager } from "typeorm";
import { authorize } from "../../auth/authorize";
import type { Caller } from "../../auth/caller";
import type { RequestContext } from "../../auth/context";
import type { Database } from "../../database/database";
import { GatewayError, InvalidInput, noSuch } from "../../errors";
import { scopedAgentId } from "../agents/agent-scope";
import type { CompiledConfigurations } from "../configuration/compiled-configurations";
import type { ConfigurationService } from "../configuration/configuration.service";
import { ConfigurationDraft } from "../configuration/configuration-draft.entity";
import { ConfigurationVersion } from "../configuration/configuration-version.entity";
import { CompiledConfiguration } from "../configuration/document/compiled-configuration";
import { MAY_READ_CONTACTS } from "../contacts/contact.access";
import { MAY_READ_CONVERSATIONS } from "../conversations/conversation.access";
import type { Against, ReplayAgainst } from "./replay";

/** A configuration for trial decisions that is not compiled yet. */
export type Candidate = ConfigurationVersion | ConfigurationDraft | { given: object };

/** Compiles configurations for trial decisions. */
export class Candidates {
  constructor(
    private readonly database: Database,
    private readonly compiledConfigurations: CompiledConfigurations,
    private readonly configurations: Pick<ConfigurationService, "check">,
  ) {}

  /**
   * Finds one of an agent's configurations and compiles it.
   * @throws GatewayError see `candidateOf` and `compile`, or `not_found` (agent)
   */
  async find(
    context: RequestContext,
    agent: string | null | undefined,
    against: ReplayAgainst,
  ): Promise<Against> {
    const candidate = await this.database.read(async (reader) =>
      candidateOf(reader, context, await scopedAgentId(reader, context, agent), against),
    );
    return this.compile(context, candidate);
  }

  /**
   * @throws GatewayError `conflict` for an invalid draft, `invalid_request` for an invalid document, or `unavailable`
   *   if the wait for its check is too long
   */
  async compile(context: RequestContext, candidate: Candidate): Promise<Against> {
    if (candidate instanceof ConfigurationVersion)
      return { version: candidate.version, configuration: this.compiledConfigurations.of(candidate) };
    const isDraft = candidate instanceof ConfigurationDraft;
    const { problems, document } = await this.configurations.check(
      context,
      isDraft ? candidate.document : candidate.given,
    );
    const [problem] = problems;
    if (document !== undefined && problem === undefined)
      return { version: null, configuration: new CompiledConfiguration(document, true) };
    if (!isDraft)
      throw new InvalidInput(
        problems.map(({ path, message }) => ({ path: `against.document${path && `.${path}`}`, message })),
      );
    const what = problem === undefined ? "" : `: ${problem.path} ${problem.message}`;
    throw new GatewayError("conflict", `The draft is not valid${what}.`);
  }
}

/**
 * Finds one of an agent's configurations.
 * @throws GatewayError `not_found` (version, draft), `invalid_request` for a draft with an API key, or
 *   `insufficient_scope` for a document if the key may not read what its templates could show
 */
export async function candidateOf(
  reader: EntityManager,
  { caller }: RequestContext,
  agentId: string,
  { version, draft, document }: ReplayAgainst,
): Promise<Candidate> {
  if (version != null) {
    const found = await reader.findOneBy(ConfigurationVersion, { agentId, version });
    if (found === null) throw noSuch("version");
    return found;
  }
  if (document != null) {
    // Members are not checked, because they could publish the document and see its decisions.
    if (caller.kind === "agent") authorizeReading(caller);
    return { given: document };
  }
  if (draft !== true) throw new InvalidInput([{ path: "against.draft", message: "must be true" }]);
  if (caller.kind === "agent")
    throw new InvalidInput([{ path: "against.draft", message: "is not allowed with an API key" }]);
  const found = await reader.findOneBy(ConfigurationDraft, { agentId });
  if (found === null) throw noSuch("draft");
  return found;
}

/** @throws GatewayError if the caller may not read the data that decisions are based on */
export function authorizeReading(caller: Caller): void {
  for (const allowed of [MAY_READ_CONTACTS, MAY_READ_CONVERSATIONS])
    authorize(caller, { allowed, whileDeactivated: false }, false);
}
