import fc from "fast-check";

/** Each run generates the same cases, so that whether it passes depends on the code alone; `TEST_SEED` generates others. */
export const SEED = Number(process.env.TEST_SEED ?? 20_261_126);

fc.configureGlobal({ seed: SEED });

export { default } from "fast-check";
