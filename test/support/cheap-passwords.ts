import argon2 from "@node-rs/argon2";

const CHEAP = { memoryCost: 8, timeCost: 1, parallelism: 1 };

// Suites hash passwords at the lowest cost that argon2id allows, a hundredth of the real one. Verifying takes its cost
// from the hash. A suite about the cost itself restores the function. This is no `jest.mock`, with which Jest would
// look for a mock at every `require`.
const { hash } = argon2;
jest.spyOn(argon2, "hash").mockImplementation((password) => hash(password, CHEAP));
