/** Says on which port a node:http server listens, and ends the process on a signal. */
export function announce(server, close = () => {}) {
  process.stdout.write(`listening ${server.address().port}\n`);
  process.on("SIGTERM", async () => {
    await close();
    process.exit(0);
  });
}
