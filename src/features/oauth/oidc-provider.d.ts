// Declares the parts of the library that are used here, because the library has no type declarations.
declare module "oidc-provider" {
  import type { IncomingMessage, ServerResponse } from "node:http";

  type Payload = Record<string, unknown>;

  interface Adapter {
    upsert(id: string, payload: Payload, expiresIn?: number): Promise<void>;
    find(id: string): Promise<Payload | undefined>;
    findByUid(uid: string): Promise<Payload | undefined>;
    findByUserCode(userCode: string): Promise<Payload | undefined>;
    consume(id: string): Promise<void>;
    destroy(id: string): Promise<void>;
    revokeByGrantId(grantId: string): Promise<void>;
  }

  interface Client {
    clientId: string;
    clientName?: string;
    grantTypeAllowed(type: string): boolean;
  }

  interface Context {
    path: string;
    ip: string;
    query: Record<string, string | string[] | undefined>;
    type: string;
    body: unknown;
    req: IncomingMessage;
    res: ServerResponse;
    status: number;
    oidc: {
      client?: Client;
      params: Record<string, unknown>;
      provider: Provider;
      entities: { Grant?: { exp: number } };
      result?: { consent?: { grantId: string } };
    };
    get(header: string): string;
    redirect(url: string): void;
  }

  class Provider {
    constructor(issuer: string, configuration: Record<string, unknown>);
    static readonly ctx: Context;
    proxy: boolean;
    silent: boolean;
    Grant: { find(id: string): Promise<object | undefined> };
    AccessToken: { prototype: object };
    RefreshToken: { prototype: object };
    callback(): (request: IncomingMessage, response: ServerResponse) => void;
    use(middleware: (context: Context, next: () => Promise<void>) => Promise<void>): this;
    on(event: string, listener: (context: Context, error: Error) => void): this;
    interactionDetails(request: IncomingMessage, response: ServerResponse): Promise<{ uid: string }>;
    interactionResult(request: IncomingMessage, response: ServerResponse, result: object): Promise<string>;
  }

  namespace errors {
    class InvalidGrant extends Error {
      constructor(description: string);
    }
    class InvalidTarget extends Error {}
    class SessionNotFound extends Error {
      constructor(description: string);
    }
    class TemporarilyUnavailable extends Error {
      constructor(description: string);
    }
  }

  namespace interactionPolicy {
    class Prompt {
      constructor(info: { name: string; requestable?: boolean }, ...checks: unknown[]);
    }
    class Check {
      constructor(
        reason: string,
        description: string,
        error: string,
        check: (context: Context) => boolean,
        details?: (context: Context) => object,
      );
      static NO_NEED_TO_PROMPT: boolean;
      static REQUEST_PROMPT: boolean;
    }
  }
}
