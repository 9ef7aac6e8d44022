import { Agent, request } from "node:http";
import { brotliDecompressSync, gunzipSync } from "node:zlib";

/** The response to a request. */
export interface HttpResponse {
  status: number;
  headers: Headers;
  text: string;
}

interface HttpRequest {
  method: string;
  headers: Record<string, string>;
  body?: string | Uint8Array;
}

const agent = new Agent({ keepAlive: true });

const DECODERS: Readonly<Record<string, (body: Buffer) => Buffer>> = {
  br: brotliDecompressSync,
  gzip: gunzipSync,
};

/**
 * Sends a request with less CPU time than `fetch`. Like `fetch`, it decompresses the body; unlike `fetch`, it requests
 * no compression and follows no redirects.
 */
export function sendRequest(url: string, { method, headers, body }: HttpRequest): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    // Without the length, Node.js would send no body with DELETE.
    const length = body !== undefined && { "content-length": Buffer.byteLength(body) };
    const options = { agent, method, headers: { accept: "*/*", ...length, ...headers } };
    const sent = request(url, options, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        const decode = DECODERS[response.headers["content-encoding"] ?? ""];
        const bytes = Buffer.concat(chunks);
        const isEncoded = decode !== undefined && bytes.length > 0;
        resolve({
          status: response.statusCode ?? 0,
          headers: headersOf(response.rawHeaders),
          text: (isEncoded ? decode(bytes) : bytes).toString(),
        });
      });
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

function headersOf(raw: readonly string[]): Headers {
  const headers = new Headers();
  for (let i = 0; i < raw.length; i += 2) headers.append(raw[i] ?? "", raw[i + 1] ?? "");
  return headers;
}
