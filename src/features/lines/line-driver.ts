import type { Send } from "../../delivery/driver";
import { createEmailDriver } from "../../delivery/email-driver";
import type { Targets } from "../../delivery/targets";
import { createWebhookDriver } from "../../delivery/webhook-driver";
import type { LineTarget } from "./line-target";

/** Returns the driver that sends messages to a line's target; undefined for a local line, which sends nothing. */
export function lineDriver(targets: Targets, target: LineTarget): Send | undefined {
  switch (target.kind) {
    case "local":
      return undefined;
    case "webhook":
      return createWebhookDriver(targets, target);
    case "email": {
      const { kind: _, user, password, ...settings } = target;
      return createEmailDriver(targets, {
        ...settings,
        ...(user !== null && { user }),
        ...(password !== null && { password }),
      });
    }
  }
}
