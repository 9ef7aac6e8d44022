import { Agent, request } from "node:http";

/**
 * Posts messages to a URL over keep-alive connections.
 * @returns a function that rejects unless the response is a success
 */
export function poster(url) {
  const agent = new Agent({ keepAlive: true });
  return ({ id, conversationId, text }) =>
    new Promise((resolve, reject) => {
      const body = JSON.stringify({ id, type: "message", conversationId, text });
      const post = request(url, {
        agent,
        method: "POST",
        headers: {
          "content-type": "application/json",
          "content-length": Buffer.byteLength(body),
          "webhook-id": id,
        },
      });
      post.once("error", reject);
      post.once("response", (response) => {
        response.resume();
        response.once("error", reject);
        response.once("end", () => {
          if (response.statusCode >= 200 && response.statusCode < 300) resolve();
          else reject(new Error(`answered ${response.statusCode}`));
        });
      });
      post.end(body);
    });
}

/** Tells the bench that the worker is ready, and exits on a signal. */
export function announceWorker(close) {
  process.stdout.write("listening 0\n");
  process.on("SIGTERM", async () => {
    await close();
    process.exit(0);
  });
}
