import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { addVary, compress, encodingFor, MIN_COMPRESSED_LENGTH } from "../http/encoding";

/** Of the levels up to 9, the last before the time doubles: measured with the usage of 100 keys. */
const LEVEL = 6;

/**
 * Compresses the answers to queries of members, who read whole pages of a dashboard. Mutations stay as they are: only they
 * answer with secrets, whose length would tell something about them (BREACH). So do answers to keys, which cost less time
 * to make than to compress; a proxy may do so.
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
