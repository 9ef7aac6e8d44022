import type { ApolloServer } from "@apollo/server";
import {
  createSourceEventStream,
  type ExecutionArgs,
  type ExecutionResult,
  type FormattedExecutionResult,
  GraphQLError,
  type GraphQLFormattedError,
  type GraphQLSchema,
} from "graphql";
import { MessageType, makeServer } from "graphql-ws";
import type { Logger } from "pino";
import type { WebSocket } from "ws";
import { keyOf } from "../../auth/caller";
import type { Credentials, RequestContext } from "../../auth/context";
import { GatewayError } from "../../errors";
import type { RateLimit } from "../../rate-limits/rate-limit";
import { formatError, toGatewayError } from "../errors";
import { checkSubscription } from "../plugins/subscriptions";
import { closeWith, FORBIDDEN } from "./close-codes";
import { SubscriptionResults, type WriteResult } from "./subscription-results";
import type { TrafficLimit } from "./traffic-limit";

/** Max time for a client to send `connection_init` (ms). */
const INIT_TIMEOUT_MS = 5_000;

/** Max subscriptions per connection. */
export const MAX_SUBSCRIPTIONS = 20;

/** Max rejected subscriptions before a connection is closed. */
export const MAX_REJECTIONS = 40;

/** Connection state that the protocol implementation does not track. */
export interface Connection {
  socket: WebSocket;
  /** Resolves once the connection accepts more data. */
  send: (text: string) => Promise<void>;
  traffic: TrafficLimit;
  /** Number of rejected subscriptions. */
  rejections: number;
  /** The credential in `connection_init`, with the origin of the handshake. */
  credentials: Credentials;
}

/** The dependencies of subscriptions. */
export interface SubscriptionServices {
  apollo: ApolloServer<RequestContext>;
  schema: GraphQLSchema;
  createContext: (credentials: Credentials) => Promise<RequestContext>;
  rateLimit: RateLimit;
  log: Logger;
}

/**
 * Creates the subscription protocol (graphql-transport-ws) without a transport. Each subscription is authenticated,
 * counts as a request with its key (as does `connection_init`), and must pass the checks for HTTP operations. A
 * connection with many rejections is closed, because the limits on HTTP requests do not cover its messages.
 */
export const createSubscriptionServer = ({
  apollo,
  schema,
  createContext,
  rateLimit,
  log,
}: SubscriptionServices) => {
  const authenticate = async (credentials: Credentials): Promise<RequestContext> => {
    const context = await createContext(credentials);
    if (context.caller.kind === "anonymous")
      throw new GatewayError(
        "unauthenticated",
        "connection_init requires a payload with Authorization: Bearer <API_KEY or session token>.",
      );
    return context;
  };

  /**
   * Counts a request with a key.
   * @returns the error if the limit is exceeded
   */
  const limit = ({ caller }: RequestContext): GatewayError | undefined => {
    const key = keyOf(caller);
    return key && rateLimit(key)?.rejection;
  };

  const known = (cause: unknown): GatewayError => {
    const error = toGatewayError(cause);
    if (error.status >= 500) log.error({ err: error.cause }, error.code);
    return error;
  };

  const payloadOf = ({ errors, ...result }: ExecutionResult): FormattedExecutionResult =>
    errors === undefined
      ? result
      : {
          ...result,
          errors: errors.map((error) => {
            // Logs a server error, because the client does not see its cause.
            known(error);
            return formatError(error.toJSON(), error);
          }),
        };
  const results = new SubscriptionResults(payloadOf);

  return makeServer<Record<string, unknown>, Connection>({
    connectionInitWaitTimeout: INIT_TIMEOUT_MS,
    onConnect: async ({ connectionParams = {}, extra }) => {
      extra.credentials.authorization = authorizationIn(connectionParams);
      try {
        const limited = limit(await authenticate(extra.credentials));
        if (limited !== undefined) throw limited;
        extra.traffic.accept();
        return true;
      } catch (error) {
        closeWith(extra.socket, known(error));
        return false;
      }
    },
    onSubscribe: async ({ extra, subscriptions }, _id, payload) => {
      if (Object.keys(subscriptions).length > MAX_SUBSCRIPTIONS) {
        countRejection(extra);
        return rejection(
          "limit_reached",
          `A connection can have at most ${MAX_SUBSCRIPTIONS} subscriptions.`,
        );
      }
      let contextValue: RequestContext;
      try {
        contextValue = await authenticate(extra.credentials);
      } catch (error) {
        const rejected = known(error);
        closeAs(extra.socket, rejected);
        return rejection(rejected.code, rejected.message);
      }
      const limited = limit(contextValue);
      if (limited !== undefined) {
        countRejection(extra);
        return rejection(limited.code, limited.message);
      }
      const checked = await checkSubscription(apollo, payload as never, contextValue);
      if ("errors" in checked) {
        countRejection(extra);
        return checked.errors.map(asGraphQLError);
      }
      const { operationName, variables } = payload;
      return { schema, document: checked.document, operationName, variableValues: variables, contextValue };
    },
    // Returns the events of the stream; `onOperation` sends their results.
    subscribe: (args: ExecutionArgs) => createSourceEventStream(args) as never,
    onOperation: ({ extra }, id, { query }, args, result) => {
      if (!(Symbol.asyncIterator in result)) {
        countRejection(extra);
        return undefined;
      }
      const { caller } = args.contextValue as RequestContext;
      const write = results.writerFor(caller, query, args);
      const start = `{"id":${JSON.stringify(id)},"type":"${MessageType.Next}","payload":`;
      return sendEach(result as never, write, (text) => extra.send(`${start}${text}}`), extra.socket);
    },
    onNext: (_context, _id, _payload, _args, result) => payloadOf(result),
  });
};

export type SubscriptionServer = ReturnType<typeof createSubscriptionServer>;

/** Returns the credential in `connection_init`; the header's name may be in either spelling. */
function authorizationIn({
  Authorization,
  authorization,
}: Readonly<Record<string, unknown>>): string | undefined {
  const value = Authorization ?? authorization;
  if (value === undefined || value === null) return undefined;
  // Any other value is rejected as a malformed credential.
  return typeof value === "string" ? value : "malformed";
}

const rejection = (code: GatewayError["code"], message: string): [GraphQLError] => [
  new GraphQLError(message, { extensions: { code } }),
];

/** Closes a connection whose client ignores rejections; a well-behaved client reconnects. */
function countRejection(connection: Connection): void {
  connection.rejections += 1;
  if (connection.rejections === MAX_REJECTIONS)
    closeWith(
      connection.socket,
      new GatewayError("rate_limited", `${MAX_REJECTIONS} subscriptions on this connection were rejected.`),
    );
}

/** Creates an error that is sent in the given format. */
const asGraphQLError = (formatted: GraphQLFormattedError): GraphQLError =>
  Object.assign(new GraphQLError(formatted.message), { toJSON: () => formatted });

/** Closes a connection; unless its credential is no longer valid, the client retries later. */
function closeAs(socket: WebSocket, error: GatewayError): void {
  closeWith(socket, error, isRejection(error) ? FORBIDDEN : undefined);
}

const isRejection = ({ status }: GatewayError): boolean => status === 401 || status === 403;

type Results = AsyncIterableIterator<ExecutionResult, void>;

/**
 * Sends the results of a stream's events in order.
 * @returns the result for the library to send: a final failure, if any; an invalidated credential closes the connection
 */
function sendEach(
  events: AsyncIterableIterator<object, void>,
  write: WriteResult,
  send: (text: string) => Promise<void>,
  socket: WebSocket,
): Results {
  let hasEnded = false;
  const end = (): IteratorReturnResult<void> => {
    hasEnded = true;
    return { done: true, value: undefined };
  };
  const sending: Results = {
    next: async () => {
      try {
        while (!hasEnded) {
          const { done, value } = await events.next();
          if (done) return end();
          const text = await write(value);
          // The client may have completed the subscription and reused its ID.
          if (!hasEnded) await send(text);
        }
        return end();
      } catch (cause) {
        end();
        const originalError = toGatewayError(cause);
        if (isRejection(originalError)) {
          closeAs(socket, originalError);
          return end();
        }
        const errors = [new GraphQLError(originalError.message, { originalError })];
        return { done: false, value: { errors } };
      }
    },
    return: async () => {
      await events.return?.();
      return end();
    },
    [Symbol.asyncIterator]: () => sending,
  };
  return sending;
}
