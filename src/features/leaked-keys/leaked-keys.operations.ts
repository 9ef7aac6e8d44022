import { bodySchema, type HttpOperation } from "../../schema/http-operation";
import { LEAKED_KEY } from "./leaked-keys.bodies";

const KEY = "agk_live_Qx7mT2bLw9Zk_EXAMPLEexampleEXAMPLE007397E";

/** Documents reports by key holders. Signed lists are not documented, because only GitHub sends them. */
export const leakedKeysOperations = (): readonly HttpOperation[] => [
  {
    operationId: "reportLeakedKey",
    summary: "Revoke a publicly exposed API key",
    path: "/leaked-keys",
    parameters: [],
    body: {
      "application/json": {
        schema: bodySchema(LEAKED_KEY),
        example: { key: KEY },
      },
    },
    answers: {
      202: {
        description: "The key is revoked if it exists.",
        schema: { type: "object" },
        example: {},
      },
    },
    errors: [
      "invalid_request",
      "invalid_json",
      "invalid_content_type",
      "invalid_signature",
      "request_timeout",
      "payload_too_large",
      "unsupported_content_encoding",
      "misdirected_request",
      "too_many_attempts",
      "header_fields_too_large",
      "internal_error",
      "unavailable",
    ],
  },
];
