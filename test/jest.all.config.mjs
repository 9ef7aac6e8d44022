// Runs everything; with TEST_TIER=rest, everything that `npm test` leaves out.
process.env.TEST_TIER ??= "all";
const { default: config } = await import("./jest.config.mjs");

export default config;
