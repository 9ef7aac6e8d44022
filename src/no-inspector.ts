/**
 * Node opens the inspector, which runs whatever it is sent, at SIGUSR1, unless the program listens for it. The first
 * import of the service: Node 20 has no flag for this (`--disable-sigusr1` came with 22.14).
 */
process.on("SIGUSR1", () => undefined);
