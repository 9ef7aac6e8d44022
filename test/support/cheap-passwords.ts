/**
 * Lets suites hash passwords at the lowest cost that argon2id allows, a hundredth of the real one. Verifying takes
 * its cost from the hash. A suite about the cost itself calls `jest.unmock("@node-rs/argon2")`.
 */
jest.mock("@node-rs/argon2", () => {
  const argon2 = jest.requireActual<typeof import("@node-rs/argon2")>("@node-rs/argon2");
  const cheap = { memoryCost: 8, timeCost: 1, parallelism: 1 };
  return {
    ...argon2,
    hash: (password: string): Promise<string> => argon2.hash(password, cheap),
  };
});
