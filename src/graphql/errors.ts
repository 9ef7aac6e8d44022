import { ApolloServerValidationErrorCode, unwrapResolverError } from "@apollo/server/errors";
import { GraphQLError, type GraphQLFormattedError, Kind, print } from "graphql";
import { excerpt } from "../credentials/redact-tokens";
import { type ErrorCode, GatewayError, type InputProblem, InvalidInput } from "../errors";
import { MAX } from "./query-limits/limits";

/** Longest message of GraphQL itself that is passed on: it quotes the document, which may be huge. */
const MESSAGE_MAX_LENGTH = 500;

/** Apollo's own codes in the words of the error table. */
const CODES: Readonly<Record<string, ErrorCode>> = {
  GRAPHQL_PARSE_FAILED: "graphql_parse_failed",
  GRAPHQL_VALIDATION_FAILED: "graphql_validation_failed",
  OPERATION_RESOLUTION_FAILURE: "invalid_request",
  PERSISTED_QUERY_NOT_SUPPORTED: "invalid_request",
  BAD_USER_INPUT: "invalid_request",
  BAD_REQUEST: "invalid_request",
};

/**
 * What a client may learn of a failure, whichever door it came through: an error of the table as it is, a
 * complaint of GraphQL about the document or its variables, or `internal_error` with the failure as its cause.
 */
export function toGatewayError(error: unknown): GatewayError {
  const cause = causeOf(error);
  if (cause instanceof GatewayError) return cause;
  if (error instanceof GraphQLError && isAboutDocument(error, cause)) {
    const code = codeOf(error);
    if (error.extensions.validationErrorCode === ApolloServerValidationErrorCode.INTROSPECTION_DISABLED) {
      return new GatewayError("graphql_validation_failed", "Introspection is off on this server.");
    }
    if (isStackOverflow(error)) {
      return new GatewayError("query_too_complex", `The document has more than ${MAX.levels} levels.`);
    }
    if (code !== undefined) return new GatewayError(code, excerpt(withoutLiteral(error), MESSAGE_MAX_LENGTH));
  }
  return new GatewayError("internal_error", undefined, { cause });
}

/** What Apollo wrapped: the failure of a resolver, or an error of the table that a plugin threw. */
function causeOf(error: unknown): unknown {
  const thrown = error instanceof GraphQLError ? error.originalError : undefined;
  return thrown instanceof GatewayError ? thrown : unwrapResolverError(error);
}

/** A failure inside a field that does not point into the document is one of the server. */
function isAboutDocument(error: GraphQLError, cause: unknown): boolean {
  if (error.path === undefined) return true;
  return cause instanceof GraphQLError && cause.nodes !== undefined;
}

/** The parser follows nesting by calling itself. */
function isStackOverflow({ originalError }: GraphQLError): boolean {
  const within = originalError instanceof GraphQLError ? originalError.originalError : undefined;
  return within?.name === "RangeError";
}

function codeOf({ extensions }: GraphQLError): ErrorCode | undefined {
  if ((extensions.http as { status?: number } | undefined)?.status === 405) return "method_not_allowed";
  const code = extensions.code ?? "BAD_USER_INPUT";
  return typeof code === "string" ? CODES[code] : undefined;
}

/** Literals that somebody made up, as against names that the schema has. */
const LITERALS: readonly Kind[] = [Kind.STRING, Kind.INT, Kind.FLOAT, Kind.LIST, Kind.OBJECT];

/** How the parser names a literal that it did not expect. */
const UNEXPECTED_LITERAL = /\b(String|BlockString|Int|Float) ".*"/s;

/** What GraphQL says of a document, but for the literal that it is about, which may be a password in a wrong place. */
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

/** What programs read of an error, so that none has to parse its message. */
export interface ErrorExtensions {
  code: ErrorCode;
  /** Of `invalid_request`: every value at fault. */
  problems?: readonly InputProblem[];
}

export const extensionsOf = (error: GatewayError): ErrorExtensions => ({
  code: error.code,
  ...(error instanceof InvalidInput && { problems: error.problems }),
});

/** The error as GraphQL clients see it. */
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
