import argon2 from "@node-rs/argon2";

type Hash = typeof argon2.hash & { atRealCost?: typeof argon2.hash };

// All suites of a worker share this native module, so an earlier suite may already have replaced the function.
const { hash }: { hash: Hash } = argon2;
const real = hash.atRealCost ?? hash;
const CHEAP = { memoryCost: 8, timeCost: 1, parallelism: 1 };

/** Hashes passwords at the real cost, for a test file about that cost. */
export function hashAtRealCost(): void {
  beforeAll(() => void Object.assign(argon2, { hash: real }));
  afterAll(() => void Object.assign(argon2, { hash: cheap }));
}

// Other suites use the lowest cost that argon2id allows, a hundredth of the real one; verifying takes its cost from the
// hash. Does not use `jest.mock`, because Jest would then look for a mock at every `require`.
const cheap: Hash = (password) => real(password, CHEAP);
cheap.atRealCost = real;
Object.assign(argon2, { hash: cheap });
