// One function, because connecting, subscribing and sending share a connection's state, and each of them may close
// it.

import { addAbortListener } from "node:events";
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
import {
  CloseCode,
  GRAPHQL_TRANSPORT_WS_PROTOCOL,
  type Message,
  MessageType,
  parseMessage,
  type SubscribeMessage,
} from "graphql-ws";
import type { Logger } from "pino";
import type { WebSocket } from "ws";
import { keyOf } from "../../auth/caller";
import type { CountOperation, Credentials, RequestContext } from "../../auth/context";
import { type ErrorCode, GatewayError } from "../../errors";
import { requireShallow } from "../../http/plugins/json-body";
import type { RateLimit } from "../../rate-limits/rate-limit";
import { formatError, toGatewayError } from "../errors";
import { checkSubscription } from "../plugins/subscriptions";
import { close, closeWith, FORBIDDEN } from "./close-codes";
import { SubscriptionResults } from "./subscription-results";
import type { TrafficLimit } from "./traffic-limit";

const INIT_TIMEOUT_MS = 5_000;

/** Max subscriptions per connection. */
export const MAX_SUBSCRIPTIONS = 20;

/** Max rejected subscriptions before a connection is closed. */
export const MAX_REJECTIONS = 40;

/** A WebSocket and its state in the protocol. */
export interface Connection {
  socket: WebSocket;
  /** Resolves once the connection accepts more data. */
  send: (text: string) => Promise<void>;
  traffic: TrafficLimit;
  rejections: number;
  /** The credential in `connection_init`, with the origin of the handshake. */
  credentials: Credentials;
  /** The active subscriptions by ID; aborting one closes its stream, even if the stream is still being opened. */
  subscriptions: Map<string, AbortController>;
}

/** The dependencies of subscriptions. */
export interface SubscriptionServices {
  apollo: ApolloServer<RequestContext>;
  schema: GraphQLSchema;
  createContext: (credentials: Credentials) => Promise<RequestContext>;
  rateLimit: RateLimit;
  log: Logger;
  countOperation: CountOperation;
}

/**
 * Creates the server of the subscription protocol (graphql-transport-ws). Each subscription is authenticated, counts as
 * a request with its key (as does `connection_init`), and must pass the checks for HTTP operations. A connection with
 * many rejections is closed, because the limits on HTTP requests do not cover its messages. graphql-ws only parses
 * messages, because its server loses track of a stream if its ID is reused while it is being opened.
 */
export const createSubscriptionServer = ({
  apollo,
  schema,
  createContext,
  rateLimit,
  log,
  countOperation,
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

  /** Counts a connection or a subscription for the usage of its key. */
  const count = (context: RequestContext, outcome: "ok" | ErrorCode): void =>
    countOperation(context, context.answer?.operation ?? "GET /graphql", outcome);

  /** Counts a request against its key's rate limit, and returns the error if the limit is exceeded. */
  const limit = (context: RequestContext): GatewayError | undefined => {
    const key = keyOf(context.caller);
    const rejected = key && rateLimit(key)?.rejection;
    if (rejected !== undefined) count(context, rejected.code);
    return rejected;
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

  /** Authenticates a connection, or closes it; true if it is accepted. */
  const accept = async (connection: Connection, parameters: Readonly<Record<string, unknown>>) => {
    connection.credentials.authorization = authorizationIn(parameters);
    try {
      const context = await authenticate(connection.credentials);
      const limited = limit(context);
      if (limited !== undefined) throw limited;
      count(context, "ok");
    } catch (error) {
      closeWith(connection.socket, known(error));
      return false;
    }
    connection.traffic.accept();
    return true;
  };

  /** Returns the execution arguments of a subscription, or the errors for the client. */
  const check = async (
    connection: Connection,
    payload: SubscribeMessage["payload"],
  ): Promise<
    (ExecutionArgs & { contextValue: RequestContext }) | { errors: readonly GraphQLFormattedError[] }
  > => {
    if (connection.subscriptions.size > MAX_SUBSCRIPTIONS) {
      countRejection(connection);
      return rejection("limit_reached", `A connection can have at most ${MAX_SUBSCRIPTIONS} subscriptions.`);
    }
    let contextValue: RequestContext;
    try {
      contextValue = await authenticate(connection.credentials);
    } catch (error) {
      const rejected = known(error);
      closeAs(connection.socket, rejected);
      return rejection(rejected.code, rejected.message);
    }
    const limited = limit(contextValue);
    if (limited !== undefined) {
      countRejection(connection);
      return rejection(limited.code, limited.message);
    }
    const checked = await checkSubscription(apollo, payload as never, contextValue);
    if ("errors" in checked) {
      count(contextValue, contextValue.answer?.errorCode ?? "invalid_request");
      countRejection(connection);
      return checked;
    }
    const { operationName, variables } = payload;
    return { schema, document: checked.document, operationName, variableValues: variables, contextValue };
  };

  /** Sends the results of a subscription's events in order, until the stream ends or the signal is aborted. */
  const run = async (connection: Connection, { id, payload }: SubscribeMessage, signal: AbortSignal) => {
    const send = async (type: MessageType, content?: string) => {
      const rest = content === undefined ? "" : `,"payload":${content}`;
      // The client may have completed the subscription and reused its ID.
      if (!signal.aborted) await connection.send(`{"id":${JSON.stringify(id)},"type":"${type}"${rest}}`);
    };
    const sendResult = (result: ExecutionResult) => send(MessageType.Next, JSON.stringify(payloadOf(result)));
    const checked = await check(connection, payload);
    if ("errors" in checked) return send(MessageType.Error, JSON.stringify(checked.errors));
    const stream = await createSourceEventStream(checked);
    const isOpen = Symbol.asyncIterator in stream;
    count(checked.contextValue, isOpen ? "ok" : toGatewayError(stream.errors?.[0]).code);
    if (isOpen) {
      const events = stream as AsyncIterableIterator<object, void>;
      addAbortListener(signal, () => void events.return?.());
      const write = results.writerFor(checked.contextValue.caller, payload.query, checked);
      try {
        for await (const event of events) await send(MessageType.Next, await write(event));
      } catch (cause) {
        const originalError = toGatewayError(cause);
        if (isRejection(originalError)) closeAs(connection.socket, originalError);
        else await sendResult({ errors: [new GraphQLError(originalError.message, { originalError })] });
      }
    } else {
      countRejection(connection);
      await sendResult(stream);
    }
    await send(MessageType.Complete);
  };

  return {
    /** Serves a connection; returns functions to call for each message, and when the connection has closed. */
    opened: (connection: Connection) => {
      const { socket, subscriptions } = connection;
      let isInitialised = false;
      let isAccepted = false;
      const timer = setTimeout(
        () => close(socket, CloseCode.ConnectionInitialisationTimeout, "Connection initialisation timeout"),
        INIT_TIMEOUT_MS,
      );
      if (socket.protocol !== GRAPHQL_TRANSPORT_WS_PROTOCOL)
        close(socket, CloseCode.SubprotocolNotAcceptable, "Subprotocol not acceptable");

      const receive = async (text: string): Promise<void> => {
        const message = messageIn(text);
        switch (message?.type) {
          case MessageType.ConnectionInit:
            if (isInitialised)
              return close(
                socket,
                CloseCode.TooManyInitialisationRequests,
                "Too many initialisation requests",
              );
            isInitialised = true;
            clearTimeout(timer);
            isAccepted = await accept(connection, message.payload ?? {});
            if (isAccepted) await connection.send(JSON.stringify({ type: MessageType.ConnectionAck }));
            return;
          case MessageType.Ping:
            return connection.send(JSON.stringify({ type: MessageType.Pong, payload: message.payload }));
          case MessageType.Pong:
            return;
          case MessageType.Subscribe: {
            const { id } = message;
            if (!isAccepted) return close(socket, CloseCode.Unauthorized, "Unauthorized");
            if (subscriptions.has(id))
              return close(socket, CloseCode.SubscriberAlreadyExists, `Subscriber for ${id} already exists`);
            const subscription = new AbortController();
            subscriptions.set(id, subscription);
            try {
              return await run(connection, message, subscription.signal);
            } finally {
              subscription.abort();
              if (subscriptions.get(id) === subscription) subscriptions.delete(id);
            }
          }
          case MessageType.Complete:
            subscriptions.get(message.id)?.abort();
            subscriptions.delete(message.id);
            return;
          default:
            return close(socket, CloseCode.BadRequest, "Invalid message received");
        }
      };
      const closed = (): void => {
        clearTimeout(timer);
        for (const subscription of subscriptions.values()) subscription.abort();
      };
      return { receive, closed };
    },
  };
};

export type SubscriptionServer = ReturnType<typeof createSubscriptionServer>;

/** Returns the credential in `connection_init`; the member's name may be `Authorization` or `authorization`. */
function authorizationIn({
  Authorization,
  authorization,
}: Readonly<Record<string, unknown>>): string | undefined {
  const value = Authorization ?? authorization;
  if (value === undefined || value === null) return undefined;
  // A credential that is not a string is rejected as malformed.
  return typeof value === "string" ? value : "malformed";
}

/** Returns a client's message; undefined if it is invalid. */
function messageIn(text: string): Message | undefined {
  try {
    requireShallow(Buffer.from(text));
    return parseMessage(text);
  } catch {
    return undefined;
  }
}

const rejection = (code: GatewayError["code"], message: string): { errors: [GraphQLFormattedError] } => ({
  errors: [{ message, extensions: { code } }],
});

/** Closes a connection whose client ignores rejections; a well-behaved client reconnects. */
function countRejection(connection: Connection): void {
  connection.rejections += 1;
  if (connection.rejections === MAX_REJECTIONS)
    closeWith(
      connection.socket,
      new GatewayError("rate_limited", `${MAX_REJECTIONS} subscriptions on this connection were rejected.`),
    );
}

/** Closes a connection; the client retries later if its credential is still valid. */
function closeAs(socket: WebSocket, error: GatewayError): void {
  closeWith(socket, error, isRejection(error) ? FORBIDDEN : undefined);
}

const isRejection = ({ status }: GatewayError): boolean => status === 401 || status === 403;
