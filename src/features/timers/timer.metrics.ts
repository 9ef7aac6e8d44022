import { counter } from "../../telemetry/feature-metrics";

export const TIMERS = counter("gateway_timers_total", "Timers that were set, fired or canceled.", {
  event: ["set", "fired", "canceled"],
});
