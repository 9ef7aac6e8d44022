import type { Readable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { originOf } from "../../auth/authenticate";
import { clientAddress } from "../../auth/client-address";
import { anonymousAt } from "../../auth/context";
import { customerNetworkOf } from "../../common/network";
import { GatewayError } from "../../errors";
import { parseJson, requireJson } from "../../http/plugins/json-body";
import { ANONYMOUS_BODY_LIMIT, Bodies, joined } from "../../http/plugins/read-body";
import type { GitHubSignatures } from "./github-signatures";
import { keyOf, REPORT_MAX_BYTES, reportsOf } from "./leaked-keys.bodies";
import type { LeakedKeysService } from "./leaked-keys.service";

/** Min response time (ms), longer than a revocation, so that it does not reveal whether a key exists. */
const ANSWER_AFTER_MS = 250;

interface Services {
  leakedKeys: LeakedKeysService;
  gitHubSignatures: GitHubSignatures;
}

/** Adds the route for reports of leaked keys. Any holder of a key may revoke it, and GitHub signs its reports. */
export function addLeakedKeys(app: FastifyInstance, { leakedKeys, gitHubSignatures }: Services): void {
  const bodies = new Bodies();
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", (request: FastifyRequest, payload: Readable) => {
    requireJson(request.headers);
    const identifier = request.headers["github-public-key-identifier"];
    const signature = request.headers["github-public-key-signature"];
    const isSigned = typeof identifier === "string" && typeof signature === "string";
    const holder = customerNetworkOf(clientAddress(request));
    const max = isSigned ? REPORT_MAX_BYTES : ANONYMOUS_BODY_LIMIT;
    return bodies.read(request, payload, { max, holder, organizationId: null }, async (parts) => {
      const raw = joined(parts);
      // Verifies the signature first, because parsing a large body is much more expensive.
      if (isSigned && !(await gitHubSignatures.isValid(identifier, signature, raw)))
        throw new GatewayError("invalid_signature");
      const body = parseJson(raw);
      if (Array.isArray(body) && !isSigned)
        throw new GatewayError("invalid_signature", "A list of tokens requires GitHub's signature.");
      return body;
    });
  });
  app.post("/leaked-keys", { config: { api: "rest" } }, async (request, reply) => {
    const context = anonymousAt(originOf(request));
    const { body } = request;
    if (Array.isArray(body)) await leakedKeys.revoke(() => context, reportsOf(body));
    else await Promise.all([leakedKeys.revokeOne(context, keyOf(body)), pause(ANSWER_AFTER_MS)]);
    return reply.code(202).send({});
  });
}
