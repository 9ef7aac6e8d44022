import type { ServerOptions } from "node:http";
import type { Config } from "../config";

/** How long a connection may say nothing, or take over a request: for each server that listens. */
export const connectionLimits = ({ requestTimeoutMs }: Pick<Config, "requestTimeoutMs">) =>
  ({
    requestTimeout: requestTimeoutMs,
    headersTimeout: requestTimeoutMs,
    connectionsCheckingInterval: Math.min(requestTimeoutMs / 2, 10_000),
    // Refused with the others that have no fit Host, in JSON.
    requireHostHeader: false,
  }) satisfies ServerOptions;
