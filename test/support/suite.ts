import { onAnyEngine, onEachEngine, onOneEngine, type TestEngine } from "./engines";
import { type GatewayOptions, startGateway, type TestGateway } from "./gateway";
import { closeWithNothingStored } from "./rejections";

/** The settings of a gateway that delivers messages, also to this machine. */
export const DELIVERING = { DELIVERY_WORKERS: "8", ALLOW_PRIVATE_TARGETS: "127.0.0.0/8" };

export interface SuiteOptions extends GatewayOptions {
  /** True to fail the suite if one of its calls has stored a pet or a message. */
  storesNothing?: boolean;
}

/**
 * Returns a gateway for the current suite, which starts before the first test and stops after the last one.
 * @returns an object that has the gateway's fields from the next `beforeAll` or test on
 */
export function suiteGateway(
  engine: TestEngine,
  { storesNothing = false, ...options }: SuiteOptions = {},
): TestGateway {
  const gateway = {} as TestGateway;
  beforeAll(async () => {
    Object.assign(gateway, await startGateway(engine, options));
  });
  // The gateway has no fields if it did not start, which already fails the suite.
  afterAll(async () => {
    if (storesNothing) await closeWithNothingStored(gateway);
    else await gateway.close?.();
  });
  return gateway;
}

type Suite = (gateway: TestGateway, engine: TestEngine) => void;

interface DescribedOptions extends SuiteOptions {
  /**
   * `any` if nothing in the suite depends on SQL, locks or plans, so that `npm test` can run it on one database; `one`
   * if it tests only what happens in front of the database.
   */
  engine?: "each" | "any" | "one";
}

const RUNS = { each: onEachEngine, any: onAnyEngine, one: onOneEngine };

/** Runs a suite on each database, on any one or on a fixed one, each time with a new gateway. */
export function describeGateway(suite: Suite): void;
export function describeGateway(options: DescribedOptions, suite: Suite): void;
export function describeGateway(...args: [Suite] | [DescribedOptions, Suite]): void {
  const [{ engine: which = "each", ...options }, suite] = args.length === 1 ? [{}, args[0]] : args;
  RUNS[which]((engine) => suite(suiteGateway(engine, options), engine));
}
