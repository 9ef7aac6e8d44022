import type { RequestContext } from "../../src/auth/context";
import { GatewayError } from "../../src/errors";
import { MAX_CONDITION_STEPS, MAX_TEXT_STEPS } from "../../src/features/configuration/configuration.limits";
import { evaluate } from "../../src/features/configuration/document/evaluate";
import { AddressKind } from "../../src/features/contacts/contact-address.entity";
import { Decision } from "../../src/features/decisions/decision.entity";
import { DecideInput } from "../../src/features/decisions/decision.inputs";
import { decisionRoutes } from "../../src/features/decisions/decision.routes";
import { ReplayStatus } from "../../src/features/decisions/replay";
import { createSchema } from "../../src/graphql/schema";
import { planOf } from "../../src/rest/plan";
import type { RestRoute } from "../../src/schema/rest-route";
import { validateInput } from "../../src/schema/validate-input";
import { compile } from "../support/configuration";
import { addContact } from "../support/contacts";
import { decisionClient, publish } from "../support/decisions";
import fc, { SEED } from "../support/generated";
import { situation, validDocument } from "../support/generated-configurations";
import { firstAgentId, operatorOfAgent } from "../support/people";
import { describeGateway } from "../support/suite";
import { cases } from "../support/tiers";
import { expectRestAnswer } from "./oracle";

/** Number of situations to decide on each engine: `FUZZ_DECISIONS=10000 npx jest test/fuzz/decisions`. */
const DECISIONS = Number(process.env.FUZZ_DECISIONS ?? cases(150));
const SITUATIONS_PER_DOCUMENT = 10;
/** One in this many decisions is requested over HTTP. */
const HTTP_SHARE = 25;

type Situation = typeof situation extends fc.Arbitrary<infer T> ? T : never;

const replayRoute = decisionRoutes.routes.find(
  ({ operationId }) => operationId === "replayDecision",
) as RestRoute;
const { result: writer } = planOf(replayRoute, createSchema());

describeGateway({ engine: "any", env: { LOG_LEVEL: "error" } }, (gateway, engine) => {
  let agentId: string;
  let context: RequestContext;
  const seen = { decided: 0, rejected: 0, expensive: 0, http: 0, slowestMs: 0 };
  beforeAll(async () => {
    agentId = await firstAgentId(gateway);
    context = await operatorOfAgent(gateway, agentId);
  });

  const decide = async (input: DecideInput, more: { dryRun?: boolean } = {}): Promise<Decision | string> => {
    try {
      await validateInput(input);
      return await gateway.services.decisions.decide(context, { ...input, ...more });
    } catch (error) {
      // Any other error would cause an internal error.
      if (!(error instanceof GatewayError)) throw error;
      expect(["invalid_request", "queue_full"]).toContain(error.code);
      return error.message;
    }
  };

  /** Returns a result without its time. */
  const timeless = (result: Decision | string): string =>
    typeof result === "string"
      ? result
      : JSON.stringify({ ...result, decidedAt: null }).replaceAll(result.createdAt, "");

  async function expectSound(
    { type, data, attributes, hasContact }: Situation,
    document: object,
    version: number,
  ) {
    const someContact = async () => {
      const addresses = [{ kind: AddressKind.local, address: `contact ${Math.random()}` }];
      return hasContact ? { id: await addContact(gateway, { agentId, addresses, attributes }) } : null;
    };
    const contact = await someContact();
    const input = Object.assign(new DecideInput(), { agentId, situation: { type, data }, contact });
    const dry = await decide(input, { dryRun: true });
    expect(timeless(await decide(input, { dryRun: true }))).toBe(timeless(dry));
    const startedAt = performance.now();
    const decided = await decide(input);
    seen.slowestMs = Math.max(seen.slowestMs, performance.now() - startedAt);
    if (typeof decided === "string") {
      seen.rejected += 1;
      expect(decided).toBe(dry);
      return;
    }
    seen.decided += 1;
    if (JSON.stringify(decided.explanation).includes("too_expensive")) seen.expensive += 1;
    const stored = await gateway.services.database.read((reader) =>
      reader.findOneByOrFail(Decision, { id: decided.id }),
    );
    if (stored.snapshot === null) throw new Error("The decision has no snapshot.");
    const evaluated = evaluate(await compile(document), {
      situation: stored.situation,
      ...stored.snapshot,
    });
    expect(evaluated.steps).toBeLessThanOrEqual(MAX_CONDITION_STEPS + MAX_TEXT_STEPS + 2);
    const { status, explanation } = await gateway.services.replays.one(context, decided.id, { version });
    expect(status).toBe(ReplayStatus.same);
    // A replay's explanation is written member by member; the response to a decision contains the stored text as it is.
    expect(writer?.write({ explanation })).toBe(`{"explanation":${stored.explanation?.text}}`);
    expect(decided.explanation?.text).toBe(stored.explanation?.text);
    if ((seen.decided + seen.rejected) % HTTP_SHARE !== 0) return;
    seen.http += 1;
    // About another contact, because the first decision may have handed off its conversation.
    const another = await someContact();
    const reply = await decisionClient(gateway).decide({ type, data, ...(another && { contact: another }) });
    expectRestAnswer(reply);
    expect(reply.body.ruleId ?? null).toBe(decided.ruleId);
  }

  test(
    "every generated situation has one decision, within the budget, that can be replayed, or is rejected",
    async () => {
      const situations = fc.array(situation, {
        minLength: SITUATIONS_PER_DOCUMENT,
        maxLength: SITUATIONS_PER_DOCUMENT,
      });
      const check = async (document: object, generated: readonly Situation[]) => {
        const version = await publish(gateway, agentId, document);
        for (const each of generated) await expectSound(each, document, version);
      };
      await fc.assert(fc.asyncProperty(validDocument, situations, check), {
        numRuns: Math.ceil(DECISIONS / SITUATIONS_PER_DOCUMENT),
        endOnFailure: true,
      });
      expect(gateway.log()).toBe("");
      expect(seen.decided).toBeGreaterThan(0);
      expect(seen.rejected).toBeGreaterThan(0);
      expect(Object.keys(Object.prototype)).toEqual([]);
      if (process.env.FUZZ_DECISIONS !== undefined)
        process.stdout.write(`FUZZ ${JSON.stringify({ engine: engine.name, seed: SEED, ...seen })}\n`);
    },
    60_000 + DECISIONS * 200,
  );
});
