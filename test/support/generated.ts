import fc from "fast-check";

/** Each run generates the same cases, so that its result depends only on the code; `TEST_SEED` selects others. */
export const SEED = Number(process.env.TEST_SEED ?? 20_261_126);

fc.configureGlobal({ seed: SEED });

export { default } from "fast-check";
