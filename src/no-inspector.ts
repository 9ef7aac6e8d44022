/**
 * Prevents SIGUSR1 from opening the Node inspector, because the inspector runs any code sent to it. Import this module
 * first; Node 20 has no flag for this (`--disable-sigusr1` needs 22.14).
 */
process.on("SIGUSR1", () => undefined);
