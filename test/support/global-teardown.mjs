/** Stops what the global setup started. */
export default () => globalThis.stopPostgres();
