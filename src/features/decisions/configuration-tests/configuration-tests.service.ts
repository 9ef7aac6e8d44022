import type { EntityManager } from "typeorm";
import { authorize } from "../../../auth/authorize";
import type { RequestContext } from "../../../auth/context";
import type { Database } from "../../../database/database";
import { GatewayError, noSuch } from "../../../errors";
import { findOfCaller, scopedAgentId } from "../../agents/agent-scope";
import { MAX_REPORTED } from "../../configuration/configuration.limits";
import type { ConfigurationTestDifference } from "../../configuration/configuration.outputs";
import { CompiledConfiguration } from "../../configuration/document/compiled-configuration";
import type { ConfigurationDocument } from "../../configuration/document/format";
import type { TestDocument } from "../../configuration/document/tests-format";
import { liveVersion } from "../../configuration/versions";
import { ContactAddress } from "../../contacts/contact-address.entity";
import { authorizeReading, type Candidate, type Candidates, candidateOf } from "../candidates";
import { DECIDE } from "../decision.access";
import { Decision, DecisionState } from "../decision.entity";
import type { ReplayAgainst } from "../replay";
import type { ReplayTurns } from "../replay-turns";
import type { ConfigurationTests } from "./configuration-tests.outputs";
import { type TestReport, testsInSteps } from "./run-tests";
import { type Recorded, testFrom } from "./test-from-decision";

/** Runs configuration tests, which take turns with replays. */
export class ConfigurationTestService {
  constructor(
    private readonly database: Database,
    private readonly candidates: Candidates,
    private readonly turns: ReplayTurns,
  ) {}

  /**
   * Runs the tests of an agent's configuration; `against` defaults to the live version.
   * @throws GatewayError see `Candidates`, `not_found` (agent), `invalid_request` if the client has disconnected, or
   *   `unavailable` if the wait is too long
   */
  async run(
    context: RequestContext,
    agent: string | null | undefined,
    against: ReplayAgainst | null | undefined,
  ): Promise<ConfigurationTests> {
    const candidate = await this.database.read(async (reader) => {
      const agentId = await scopedAgentId(reader, context, agent);
      return against == null ? liveVersion(reader, agentId) : candidateOf(reader, context, agentId, against);
    });
    const { configuration } = await this.candidates.compile(context, candidate);
    const { differences, ...report } = await this.report(context, configuration, documentOf(candidate));
    return { ...report, differences: differences.slice(0, MAX_REPORTED) };
  }

  /**
   * Creates a test from a recorded decision; see `testFrom`.
   * @param against the configuration that determines the expectations; null or undefined for the decision's
   *   own configuration
   * @throws GatewayError see `Candidates` and `testFrom`, `not_found` (decision), `conflict` for an
   *   unfinished decision, an erased contact or a decision that was stale before any rule was tried, or
   *   `unavailable` if the wait is too long
   */
  async fromDecision(
    context: RequestContext,
    id: string,
    against: ReplayAgainst | null | undefined,
  ): Promise<TestDocument> {
    authorizeReading(context.caller);
    const [decision, addresses, candidate] = await this.database.read(async (reader) => {
      const found = await findOfCaller(reader, context, Decision, id);
      if (found === null) throw noSuch("decision");
      const { agentId, configurationVersion: version } = found;
      if (against != null) authorize(context.caller, { allowed: DECIDE, whileDeactivated: false }, false);
      return [
        found,
        await addressesOf(reader, found),
        await candidateOf(reader, context, agentId, against ?? { version }),
      ] as const;
    });
    if (decision.state !== DecisionState.decided)
      throw new GatewayError("conflict", `The decision is ${decision.state}.`);
    const { configuration } = await this.candidates.compile(context, candidate);
    return this.turns.evaluate(context, () => testFrom(configuration, recorded(decision), addresses));
  }

  /** Creates a test from a dry run, like `testFrom`; null for other decisions. */
  async fromDryRun(context: RequestContext, decision: Decision): Promise<TestDocument | null> {
    if (decision.id !== null) return null;
    authorizeReading(context.caller);
    const { agentId, configurationVersion: version, tried } = decision;
    const [addresses, live] = await this.database.read(
      async (reader) =>
        [
          await addressesOf(reader, decision),
          tried === undefined ? await candidateOf(reader, context, agentId, { version }) : undefined,
        ] as const,
    );
    const configuration = tried ?? (live && (await this.candidates.compile(context, live)).configuration);
    if (configuration === undefined) return null;
    return this.turns.evaluate(context, () => testFrom(configuration, recorded(decision), addresses));
  }

  /**
   * Runs a valid document's tests.
   * @throws GatewayError see `ReplayTurns`
   */
  async differences(
    context: RequestContext,
    document: ConfigurationDocument,
  ): Promise<readonly ConfigurationTestDifference[]> {
    return (await this.report(context, new CompiledConfiguration(document, true), document)).differences;
  }

  private report(
    context: RequestContext,
    configuration: CompiledConfiguration,
    { tests = [] }: ConfigurationDocument,
  ): Promise<TestReport> {
    return this.turns.replay(context, async () => {
      const steps = testsInSteps(configuration, tests);
      const next = () => this.turns.evaluate(context, () => steps.next());
      let step = await next();
      while (!step.done) step = await next();
      return step.value;
    });
  }
}

const addressesOf = async (reader: EntityManager, { contactId }: Decision): Promise<string[]> =>
  contactId === null
    ? []
    : (await reader.findBy(ContactAddress, { contactId })).map(({ address }) => address);

function recorded({ snapshot, ...decision }: Decision): Recorded {
  if (snapshot !== null) return { ...decision, snapshot };
  const reason =
    decision.explanation === null
      ? "The contact was erased"
      : "The conversation was closed or the organization deactivated before any rule was tried";
  throw new GatewayError("conflict", `${reason}, so no test can be created.`);
}

const documentOf = (candidate: Candidate): ConfigurationDocument =>
  ("given" in candidate ? candidate.given : candidate.document) as ConfigurationDocument;
