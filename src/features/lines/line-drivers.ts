import { AttemptOutcome, type Send } from "../../delivery/driver";
import type { Targets } from "../../delivery/targets";
import { GatewayError } from "../../errors";
import type { InstanceKeyService } from "../../instance-key/instance-key.service";
import type { Line } from "./line.entity";
import { lineDriver } from "./line-driver";
import { lineTarget } from "./line-target";

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
      const send = lineDriver(this.targets, target);
      if (send === undefined) throw new Error("A local line sends nothing.");
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
