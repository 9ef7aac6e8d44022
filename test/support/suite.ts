import { onEachEngine, type TestEngine } from "./engines";
import { type GatewayOptions, startGateway, type TestGateway } from "./gateway";
import { closeWithNothingStored } from "./refusals";

/** What a suite wants of its gateway. */
export interface SuiteOptions extends GatewayOptions {
  /** Whether the suite fails when one of its calls has stored a pet or a message. */
  storesNothing?: boolean;
}

/**
 * A gateway for the suite that is being described: it starts before the first test and stops after the last one.
 * @returns an object that holds the gateway's fields from the first `beforeAll` or test that follows
 */
export function suiteGateway(
  engine: TestEngine,
  { storesNothing = false, ...options }: SuiteOptions = {},
): TestGateway {
  const gateway = {} as TestGateway;
  beforeAll(async () => {
    Object.assign(gateway, await startGateway(engine, options));
  });
  // It has no fields when it did not start, which fails the suite already.
  afterAll(async () => {
    if (storesNothing) await closeWithNothingStored(gateway);
    else await gateway.close?.();
  });
  return gateway;
}

type Suite = (gateway: TestGateway, engine: TestEngine) => void;

/** Runs a suite once on each database that the service supports, each with a new gateway. */
export function describeGateway(suite: Suite): void;
export function describeGateway(options: SuiteOptions, suite: Suite): void;
export function describeGateway(...args: [Suite] | [SuiteOptions, Suite]): void {
  const [options, suite] = args.length === 1 ? [{}, args[0]] : args;
  onEachEngine((engine) => suite(suiteGateway(engine, options), engine));
}
