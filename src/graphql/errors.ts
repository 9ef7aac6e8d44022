import { ApolloServerValidationErrorCode, unwrapResolverError } from "@apollo/server/errors";
import { GraphQLError, type GraphQLFormattedError, Kind, print } from "graphql";
import { excerpt } from "../credentials/redact-tokens";
import { type ErrorCode, GatewayError, type InputProblem, InvalidInput } from "../errors";
import { MAX } from "./query-limits/limits";

/** Max length of a graphql-js message in a response; the message may quote a huge document. */
const MESSAGE_MAX_LENGTH = 500;

const CODES: Readonly<Record<string, ErrorCode>> = {
  GRAPHQL_PARSE_FAILED: "graphql_parse_failed",
  GRAPHQL_VALIDATION_FAILED: "graphql_validation_failed",
  OPERATION_RESOLUTION_FAILURE: "invalid_request",
  PERSISTED_QUERY_NOT_SUPPORTED: "invalid_request",
  BAD_USER_INPUT: "invalid_request",
  BAD_REQUEST: "invalid_request",
};

/**
 * Converts a failure in any API into an error that clients may see: a GatewayError unchanged, a GraphQL error about the
 * document or its variables, or `internal_error` with the failure as its cause.
 */
export function toGatewayError(error: unknown): GatewayError {
  const cause = causeOf(error);
  if (cause instanceof GatewayError) return cause;
  if (error instanceof GraphQLError && isAboutDocument(error, cause)) {
    const code = codeOf(error);
    if (error.extensions.validationErrorCode === ApolloServerValidationErrorCode.INTROSPECTION_DISABLED) {
      return new GatewayError("graphql_validation_failed", "Introspection is disabled on this server.");
    }
    if (isStackOverflow(error)) {
      return new GatewayError("query_too_complex", `The document has more than ${MAX.levels} levels.`);
    }
    if (code !== undefined) return new GatewayError(code, excerpt(withoutLiteral(error), MESSAGE_MAX_LENGTH));
  }
  return new GatewayError("internal_error", undefined, { cause });
}

/** Unwraps a resolver's error or a plugin's GatewayError from Apollo's error. */
function causeOf(error: unknown): unknown {
  const thrown = error instanceof GraphQLError ? error.originalError : undefined;
  return thrown instanceof GatewayError ? thrown : unwrapResolverError(error);
}

/** True if the client caused the error. In a field's error, the cause must refer to a node of the document. */
function isAboutDocument(error: GraphQLError, cause: unknown): boolean {
  if (error.path === undefined) return true;
  return cause instanceof GraphQLError && cause.nodes !== undefined;
}

/** True if deep nesting exhausted the stack of the recursive parser. */
function isStackOverflow({ originalError }: GraphQLError): boolean {
  const within = originalError instanceof GraphQLError ? originalError.originalError : undefined;
  return within?.name === "RangeError";
}

function codeOf({ extensions }: GraphQLError): ErrorCode | undefined {
  if ((extensions.http as { status?: number } | undefined)?.status === 405) return "method_not_allowed";
  const code = extensions.code ?? "BAD_USER_INPUT";
  return typeof code === "string" ? CODES[code] : undefined;
}

/** Kinds of literals, which clients choose freely, unlike names in the schema. */
const LITERALS: readonly Kind[] = [Kind.STRING, Kind.INT, Kind.FLOAT, Kind.LIST, Kind.OBJECT];

const UNEXPECTED_LITERAL = /\b(String|BlockString|Int|Float) ".*"/s;

/** Removes the offending literal from a graphql-js message, because it may be a misplaced password. */
function withoutLiteral({ message, nodes, extensions }: GraphQLError): string {
  if (extensions.code === "GRAPHQL_PARSE_FAILED") return message.replace(UNEXPECTED_LITERAL, "$1");
  const [node] = nodes ?? [];
  if (node === undefined || !LITERALS.includes(node.kind)) return message;
  const forms = [print(node), ...("value" in node && typeof node.value === "string" ? [node.value] : [])];
  const form = forms.find((each) => each !== "" && message.includes(each));
  if (form === undefined) return message;
  const at = message.lastIndexOf(form);
  return `${message.slice(0, at)}…${message.slice(at + form.length)}`;
}

/** The machine-readable part of an error. */
export interface ErrorExtensions {
  code: ErrorCode;
  /** The invalid values of an `invalid_request`. */
  problems?: readonly InputProblem[];
  /** The first failed expectations of a configuration that was not published. */
  tests?: readonly object[];
  /** The open conversation that a `conflict` is about. */
  conversationId?: string;
}

export const extensionsOf = (error: GatewayError): ErrorExtensions => ({
  code: error.code,
  ...(error instanceof InvalidInput && { problems: error.problems }),
  ...error.extensions,
});

/** Formats an error for GraphQL clients. */
export function formatError(
  { locations, path }: GraphQLFormattedError,
  error: unknown,
): GraphQLFormattedError {
  const known = toGatewayError(error);
  return {
    message: known.message,
    ...(locations && { locations }),
    ...(path && { path }),
    extensions: { ...extensionsOf(known) },
  };
}
