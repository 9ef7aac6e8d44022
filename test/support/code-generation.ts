import vm from "node:vm";

type Holder = Record<string, unknown>;

/** The functions that turn text into code in a suite's realm, by the object that contains them. */
const IN_REALM: readonly [holder: Holder, name: string][] = [
  [globalThis as unknown as Holder, "Function"],
  [globalThis as unknown as Holder, "eval"],
  [Function.prototype as unknown as Holder, "constructor"],
  [Object.getPrototypeOf(async () => {}), "constructor"],
];

/** The same for all realms of the process: all suites of a jest worker share this module. */
const IN_PROCESS = ["Script", "compileFunction", "runInThisContext", "runInNewContext", "runInContext"].map(
  (name): [Holder, string] => [vm as unknown as Holder, name],
);

/** The tests load modules, compile JSON schemas and drive a browser while the server runs. */
const OF_TESTS = /jest-runtime|node_modules\/(ajv|playwright-core)\//;

let unwatched = 0;

/** Runs work that may generate code, such as the start of a server, while other servers are watched. */
export async function withoutCodeWatch<T>(work: () => Promise<T>): Promise<T> {
  unwatched++;
  try {
    return await work();
  } finally {
    unwatched--;
  }
}

/** The strings seen by the active watches. */
const watches = new Set<string[]>();

function note(name: string, args: unknown[]): void {
  if (unwatched > 0 || watches.size === 0) return;
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 100;
  const { stack = "" } = new Error();
  Error.stackTraceLimit = limit;
  if (OF_TESTS.test(stack)) return;
  for (const made of watches) made.push(`${name}(${args.map(String).join(", ").slice(0, 500)})\n${stack}`);
}

/** @returns a function that restores the original */
function noteCalls([holder, name]: (typeof IN_REALM)[number]): () => void {
  const original = Object.getOwnPropertyDescriptor(holder, name);
  if (original === undefined) throw new Error(`There is no ${name} to watch.`);
  const value = new Proxy(original.value as new (...args: never[]) => object, {
    // Some libraries recognize functions by the text of their constructor.
    get: (target, key, receiver) =>
      key === "toString" ? () => String(target) : Reflect.get(target, key, receiver),
    apply: (target, self, args) => {
      note(name, args);
      return Reflect.apply(target as never, self, args);
    },
    construct: (target, args, newTarget) => {
      note(name, args);
      return Reflect.construct(target, args, newTarget);
    },
  });
  Object.defineProperty(holder, name, { ...original, value });
  return () => Object.defineProperty(holder, name, original);
}

let isInstalled = false;

/**
 * Watches all ways to turn text into code from now on.
 * @param vm true to also watch `node:vm`; such a watch must be ended before the suite ends
 * @returns the strings that have become code so far, with their stacks, and a function that ends the watch
 */
export function watchCodeGeneration({ vm = false } = {}): { made: readonly string[]; end(): void } {
  // Installed for the rest of the suite, because V8 discards optimized code whenever the prototype of functions
  // changes.
  if (!isInstalled) for (const each of IN_REALM) noteCalls(each);
  isInstalled = true;
  const restore = vm ? IN_PROCESS.map(noteCalls) : [];
  const made: string[] = [];
  watches.add(made);
  return {
    made,
    end: () => {
      watches.delete(made);
      for (const undo of restore) undo();
    },
  };
}
