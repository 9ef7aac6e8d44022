import { AttemptOutcome, type Send } from "../../delivery/driver";
import { createEmailDriver, type EmailSettings } from "../../delivery/email-driver";
import type { Targets } from "../../delivery/targets";
import { createWebhookDriver } from "../../delivery/webhook-driver";
import { GatewayError } from "../../errors";
import type { InstanceKeyService } from "../../instance-key/instance-key.service";
import type { Line } from "./line.entity";
import { type LineTarget, lineTarget } from "./line-target";

/** How lines of the kinds that connect to other systems send messages. */
export class LineDrivers {
  constructor(
    private readonly targets: Targets,
    private readonly instanceKey: InstanceKeyService,
  ) {}

  /** What sends messages on a line as it is now. @param line with its credentials */
  senderOf(line: Line): Send {
    return async (message, attempt) => {
      const target = await this.targetOf(line);
      if (target instanceof GatewayError) {
        return { outcome: AttemptOutcome.retryable, code: "instance_key", detail: target.message };
      }
      if (target.kind === "local") throw new Error("A local line sends nothing.");
      const send =
        target.kind === "webhook"
          ? createWebhookDriver(this.targets, target)
          : createEmailDriver(this.targets, emailSettingsOf(target));
      return send(message, attempt);
    };
  }

  private async targetOf(line: Line) {
    try {
      return await lineTarget(line, this.instanceKey);
    } catch (error) {
      if (error instanceof GatewayError) return error;
      throw error;
    }
  }
}

function emailSettingsOf({
  user,
  password,
  subject,
  ...target
}: LineTarget & { kind: "email" }): EmailSettings {
  return {
    ...target,
    ...(user !== null && { user }),
    ...(password !== null && { password }),
    ...(subject !== null && { subject }),
  };
}
