import http from "node:http";
import https from "node:https";
import type { Targets } from "./targets";

/**
 * Reads a document from an allowed target within a total time (ms), without following redirects.
 * @throws BlockedTarget, or Error if the target does not respond, responds with anything but 200, or exceeds a limit
 */
export function httpGet(
  targets: Targets,
  url: URL,
  { maxBytes, timeoutMs }: { maxBytes: number; timeoutMs: number },
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const { get } = url.protocol === "https:" ? https : http;
    const request = get(url, {
      agent: targets.agentFor(url),
      headers: { accept: "application/json", "user-agent": "agent-petstore-gateway" },
      signal: AbortSignal.timeout(timeoutMs),
    });
    request.on("error", reject);
    request.on("response", (response) => read(response, maxBytes).then(resolve, reject));
  });
}

async function read(response: http.IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response) {
    if (response.statusCode !== 200) break;
    size += chunk.length;
    // Leaving a `for await` loop early closes the connection.
    if (size > maxBytes) throw new Error(`The server sent more than ${maxBytes} bytes.`);
    chunks.push(chunk);
  }
  if (response.statusCode !== 200) throw new Error(`The server responded with ${response.statusCode}.`);
  return Buffer.concat(chunks);
}
