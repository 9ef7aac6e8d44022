import { type ErrorCode, GatewayError } from "../../errors";

/** The reasons why a sign-in with OpenID Connect fails, with the error codes for the HTTP status, log and metrics. */
const CODES = {
  /** The attempt has expired, has been used, or belongs to another browser. */
  expired: "invalid_request",
  /** The person canceled the sign-in at the issuer. */
  denied: "invalid_credentials",
  /** The issuer's response is invalid. */
  rejected: "invalid_credentials",
  /** The issuer did not reauthenticate the person as requested. */
  stale: "recent_sign_in_required",
  /** No member has this account or its verified e-mail address. */
  unknown: "forbidden",
  /** The account or its e-mail address belongs to a member of a different organization than the invitation. */
  taken: "conflict",
  /** The issuer cannot be reached or is not working. */
  unavailable: "unavailable",
} as const satisfies Record<string, ErrorCode>;

export type ProblemKind = keyof typeof CODES;

/** A rejected sign-in with OpenID Connect, or a rejected logout token. */
export class SignInProblem extends GatewayError {
  override readonly name = "SignInProblem";

  constructor(
    readonly kind: ProblemKind,
    options?: ErrorOptions,
  ) {
    super(CODES[kind], `sign-in with OpenID Connect: ${kind}`, options);
  }

  /** The messages of the problem's causes, for the log; the causes' other fields may contain tokens. */
  get reason(): string {
    const messages: string[] = [];
    for (let each = this.cause; each instanceof Error; each = each.cause) messages.push(each.message);
    return messages.join(": ");
  }
}
