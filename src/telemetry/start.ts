import type { Logger } from "pino";
import type { Config } from "../config";
import type { Telemetry } from "./open-telemetry";

/** Returns true if log lines are exported. */
export const exportsLogs = ({ telemetry }: Config): boolean => telemetry?.urls.logs !== undefined;

/** Starts the configured exports; loads OpenTelemetry only then, because loading takes a tenth of a second. */
export function startTelemetryOf({ telemetry }: Config, log: Logger): Telemetry | undefined {
  if (telemetry === undefined) return undefined;
  const { startTelemetry }: typeof import("./open-telemetry") = require("./open-telemetry");
  return startTelemetry(telemetry, log);
}
