import { Agent, request } from "node:http";

/** Queues messages in conversations over the REST API. */
export async function openProducer({ port, key }) {
  const agent = new Agent({ keepAlive: true });
  const add = ({ conversationId, text }) =>
    new Promise((resolve, reject) => {
      const body = JSON.stringify({ message: text });
      const post = request({
        agent,
        port,
        host: "127.0.0.1",
        method: "POST",
        path: `/agent/conversations/${conversationId}/messages`,
        headers: {
          authorization: `Bearer ${key}`,
          "content-type": "application/json",
          "content-length": Buffer.byteLength(body),
        },
      });
      post.once("error", reject);
      post.once("response", (response) => {
        response.resume();
        response.once("end", () => {
          if (response.statusCode === 201) resolve();
          else reject(new Error(`POST of a message answered ${response.statusCode}`));
        });
      });
      post.end(body);
    });
  return { add, close: () => agent.destroy() };
}
