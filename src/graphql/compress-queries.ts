import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { addVary, compress, encodingFor, MIN_COMPRESSED_LENGTH } from "../http/encoding";

/** Compression level; the next one takes twice as long, as measured with the usage report of 100 keys. */
const LEVEL = 6;

/**
 * Compresses responses to members' queries, because members load whole dashboard pages. Responses to mutations are not
 * compressed, because only they contain secrets, which compression could leak (BREACH). Responses to API keys are not
 * compressed either, because that takes longer than producing them; a proxy may compress them.
 */
export function compressQueries(app: FastifyInstance): void {
  app.addHook("onSend", (request, reply, payload, done) => {
    if (!isCompressible(request, reply, payload)) return done(null, payload);
    reply.header("vary", addVary(reply.getHeader("vary"), "Accept-Encoding"));
    const encoding = encodingFor(request.headers["accept-encoding"]);
    if (encoding === "identity") return done(null, payload);
    compress(payload, encoding, LEVEL).then((compressed) => {
      reply.header("content-encoding", encoding).removeHeader("content-length");
      done(null, compressed);
    }, done);
  });
}

function isCompressible(
  { callContext }: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
): payload is string {
  return (
    callContext?.caller.kind === "member" &&
    callContext.answer?.isQuery === true &&
    typeof payload === "string" &&
    payload.length >= MIN_COMPRESSED_LENGTH &&
    reply.statusCode === 200
  );
}
