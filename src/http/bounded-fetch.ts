/** Status codes of responses that have no body. */
const WITHOUT_BODY = [204, 205, 304];

/**
 * Fetches and reads a response up to a max size (bytes); a longer response is treated as having no body. Redirects are
 * not followed, because they would send the data elsewhere.
 */
export async function boundedFetch(
  target: Parameters<typeof fetch>[0],
  init: RequestInit | undefined,
  maxBytes: number,
): Promise<Response> {
  const response = await fetch(target, { ...init, redirect: "manual" });
  const { status } = response;
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    // Leaving the loop closes the connection.
    if (size > maxBytes) return new Response(null, { status });
    chunks.push(chunk);
  }
  return new Response(WITHOUT_BODY.includes(status) ? null : Buffer.concat(chunks), {
    status,
    headers: { "content-type": response.headers.get("content-type") ?? "" },
  });
}
