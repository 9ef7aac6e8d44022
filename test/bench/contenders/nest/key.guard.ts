import { createHash } from "node:crypto";
import { type CanActivate, type ExecutionContext, HttpException, Injectable } from "@nestjs/common";
import { GqlExecutionContext } from "@nestjs/graphql";
import { InjectRepository } from "@nestjs/typeorm";
import { Repository } from "typeorm";
import { ApiKey } from "./entities.js";

/** A Nest exception that has its status where Apollo Server looks for it. */
class Refusal extends HttpException {
  readonly extensions: object;

  constructor(status: number, code: string) {
    super(code, status);
    this.extensions = { code, http: { status } };
  }
}

/** Admits callers with a valid key. Each request reads the key with its agent and organization from the database. */
@Injectable()
export class KeyGuard implements CanActivate {
  constructor(@InjectRepository(ApiKey) private readonly keys: Repository<ApiKey>) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { req } = GqlExecutionContext.create(context).getContext();
    req.key = await this.keyOf(req.headers.authorization);
    return true;
  }

  private async keyOf(authorization: string | undefined): Promise<ApiKey> {
    if (authorization === undefined) throw new Refusal(401, "unauthenticated");
    if (!authorization.startsWith("Bearer ")) throw new Refusal(401, "invalid_api_key");
    const hash = createHash("sha256").update(authorization.slice(7)).digest("hex");
    // `find` needs one query; the limit of `findOne` would turn the joins into two.
    const [key] = await this.keys.find({ where: { hash }, relations: { agent: { organization: true } } });
    if (key === undefined) throw new Refusal(401, "invalid_api_key");
    if (key.revokedAt !== null) throw new Refusal(403, "key_revoked");
    if (key.agent.organization.deactivatedAt !== null) throw new Refusal(401, "key_not_resolvable");
    if (key.expiresAt !== null && key.expiresAt <= new Date().toISOString())
      throw new Refusal(401, "key_expired");
    return key;
  }
}
