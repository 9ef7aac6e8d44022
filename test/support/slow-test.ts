import { declareTest, TIER } from "./tiers";

/** Declares a test that `npm test` leaves out because it takes long. */
export const slowTest: typeof test = TIER === "default" ? declareTest.skip : declareTest;
