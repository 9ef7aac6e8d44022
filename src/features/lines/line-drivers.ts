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
    let driver: Promise<Send | GatewayError> | undefined;
    return async (message, attempt) => {
      // Once for the messages that leave together, because it derives the signing secret.
      driver ??= this.driverOf(line);
      const send = await driver;
      if (send instanceof GatewayError)
        return { outcome: AttemptOutcome.retryable, code: "instance_key", detail: send.message };
      return send(message, attempt);
    };
  }

  private async driverOf(line: Line): Promise<Send | GatewayError> {
    const target = await this.targetOf(line);
    if (target instanceof GatewayError) return target;
    const send = lineDriver(this.targets, target);
    if (send === undefined) throw new Error("A local line sends nothing.");
    return send;
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
