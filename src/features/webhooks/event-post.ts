import { type Attempt, AttemptOutcome, SEND_TIMEOUT_MS, type SendResult } from "../../delivery/driver";
import { createSignedPost } from "../../delivery/signed-post";
import type { Targets } from "../../delivery/targets";
import { GatewayError } from "../../errors";
import type { InstanceKeyService } from "../../instance-key/instance-key.service";
import { type Signing, signingSecretsOf } from "../../instance-key/signing-secrets";

/** An event as sent to endpoints; a test event has no position. */
export interface EventBody {
  id: string;
  type: string;
  timestamp: string;
  agentId: string | null;
  subject: string;
  position: string | null;
  data: Record<string, unknown>;
}

/** The settings of an endpoint that a delivery attempt uses. */
export type PostTarget = Signing & { url: string };

/** The HTTP status with which an endpoint signals that it no longer wants events. */
export const GONE = 410;

/** Returns the request body for an event; the same for every attempt. */
export const bodyOf = ({ id, type, timestamp, agentId, subject, position, data }: EventBody): string =>
  // Lists the fields explicitly, so that no other fields are sent.
  JSON.stringify({ id, type, timestamp, agentId, subject, position, data });

const ANSWER_ACCEPTED = { outcome: AttemptOutcome.accepted, providerId: null, isDelivered: true } as const;

/** Posts events to webhook endpoints. */
export class EventPost {
  constructor(
    private readonly targets: Targets,
    private readonly instanceKey: InstanceKeyService,
  ) {}

  /** Attempts to deliver an event; never rejects. */
  async send(target: PostTarget, event: EventBody, attempt: Attempt): Promise<SendResult> {
    const began = performance.now();
    const result = await this.post(target, event, attempt);
    return { ...result, durationMs: Math.round(performance.now() - began) };
  }

  private async post(target: PostTarget, event: EventBody, attempt: Attempt): Promise<SendResult> {
    try {
      const secrets = signingSecretsOf(target, await this.instanceKey.current());
      const post = createSignedPost(
        this.targets,
        { url: target.url, secrets, ignoresAccepted: true },
        SEND_TIMEOUT_MS,
      );
      const answer = await post({ id: event.id, body: bodyOf(event) }, attempt);
      const { headers } = answer;
      return "accepted" in answer
        ? { ...ANSWER_ACCEPTED, status: answer.accepted.status, headers }
        : { ...answer.failure, status: answer.status, headers };
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      return {
        outcome: AttemptOutcome.retryable,
        code: "instance_key",
        detail: error.message,
        status: null,
      };
    }
  }
}
