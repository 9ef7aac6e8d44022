import asyncHooks from "node:async_hooks";
import vm from "node:vm";
import { TestEnvironment } from "jest-environment-node";

/** V8's compiled modules, by path and number of parameters. */
const scripts = new Map();

/**
 * Compiles each module once for all suites of a worker. Jest evaluates a thousand modules again for each suite, and
 * compiling them each time would take half of that time.
 */
function compileOnce(compileFunction) {
  return (source, parameters, options) => {
    const { filename, parsingContext } = options ?? {};
    if (parsingContext === undefined) return compileFunction(source, parameters, options);
    const key = `${filename}:${parameters.length}`;
    const known = scripts.get(key);
    if (known?.source === source) return known.script.runInContext(parsingContext);
    const head = `(function (${parameters.join(",")}) {`;
    const script = new vm.Script(`${head}${source}\n})`, { filename, columnOffset: -head.length });
    scripts.set(key, { source, script });
    return script.runInContext(parsingContext);
  };
}

vm.compileFunction = compileOnce(vm.compileFunction);

// Jest kills a worker 500 ms after its last suite and reports leaks, but a worker takes longer to free its memory.
if (process.send !== undefined)
  process.once("beforeExit", () => process.once("exit", (code) => process.reallyExit(code)));

const { AsyncLocalStorage } = asyncHooks;

/**
 * Holds the current test for jest-circus instead of an `AsyncLocalStorage`, which slows down every promise in the
 * process and is needed only for concurrent tests.
 */
class CurrentTest {
  run(store, callback) {
    const before = this.store;
    this.store = store;
    return callback().finally(() => {
      this.store = before;
    });
  }

  getStore() {
    return this.store;
  }
}

/** Node's environment, with modules that are compiled once and without graphql-js's development checks. */
export default class Environment extends TestEnvironment {
  async setup() {
    await super.setup();
    this.global.process.env.NODE_ENV = "production";
    // Node's own limit; Jest's 100 makes each error and expectation more expensive.
    this.global.Error.stackTraceLimit = 10;
    // Tests get a copy of the environment variables, whose TZ has no effect.
    this.global.setTimeZone = (zone) => {
      delete process.env.TZ;
      if (zone !== undefined) process.env.TZ = zone;
    };
    asyncHooks.AsyncLocalStorage = CurrentTest;
  }

  /** Called from the first event on, when jest-circus has been loaded. */
  handleTestEvent() {
    asyncHooks.AsyncLocalStorage = AsyncLocalStorage;
  }
}
