/** Prints the port that a node:http server listens on, and exits on a signal. */
export function announce(server, close = () => {}) {
  process.stdout.write(`listening ${server.address().port}\n`);
  process.on("SIGTERM", async () => {
    await close();
    process.exit(0);
  });
}
