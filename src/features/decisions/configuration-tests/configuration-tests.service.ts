import type { RequestContext } from "../../../auth/context";
import type { Database } from "../../../database/database";
import { scopedAgentId } from "../../agents/agent-scope";
import { MAX_REPORTED } from "../../configuration/configuration.limits";
import { CompiledConfiguration } from "../../configuration/document/compiled-configuration";
import type { ConfigurationDocument } from "../../configuration/document/format";
import type { TestDifference } from "../../configuration/document/test-difference";
import { liveVersion } from "../../configuration/versions";
import { type Candidate, type Candidates, candidateOf } from "../candidates";
import type { ReplayAgainst } from "../replay";
import type { ReplayTurns } from "../replay-turns";
import type { ConfigurationTests } from "./configuration-tests.outputs";
import { type TestReport, testsInSteps } from "./run-tests";

/** Runs the tests of configurations, in turns with replays. */
export class ConfigurationTestService {
  constructor(
    private readonly database: Database,
    private readonly candidates: Candidates,
    private readonly turns: ReplayTurns,
  ) {}

  /**
   * Runs the tests of an agent's configuration.
   * @param against the configuration; null or undefined for the live one
   * @throws GatewayError see `Candidates`, `not_found` (agent), `invalid_request` if the client has disconnected, or
   *   `unavailable` if it would wait too long
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
    return { ...report, differences: differences.slice(0, MAX_REPORTED) } as ConfigurationTests;
  }

  /**
   * Runs the tests of a valid document.
   * @throws GatewayError `invalid_request` if the client has disconnected, or `unavailable` if it would wait too long
   */
  async differences(
    context: RequestContext,
    document: ConfigurationDocument,
  ): Promise<readonly TestDifference[]> {
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

/** The document of a configuration that was compiled. */
const documentOf = (candidate: Candidate): ConfigurationDocument =>
  ("given" in candidate ? candidate.given : candidate.document) as ConfigurationDocument;
