import { Field, InputType, ObjectType } from "type-graphql";
import { v7 as uuid } from "uuid";
import { assertSignedIn } from "../../auth/assert-signed-in";
import { ownerOf } from "../../auth/caller";
import { organizationOf, type RequestContext } from "../../auth/context";
import { Permission } from "../../auth/permissions";
import { Nullable, Optional } from "../../common/nullable";
import { timestamp } from "../../common/time";
import type { Database } from "../../database/database";
import { AttemptOutcome } from "../../delivery/driver";
import type { Targets } from "../../delivery/targets";
import { InvalidInput } from "../../errors";
import type { InstanceKeyService } from "../../instance-key/instance-key.service";
import { OneAtATime } from "../../rate-limits/one-at-a-time";
import { MaxCharacters } from "../../schema/list-size";
import { IsText } from "../../schema/text";
import { recordAudit } from "../audit/audit";
import { normalizeAddress } from "../contacts/addresses";
import { ADDRESS_MAX_LENGTH } from "../contacts/contact.limits";
import { addressKindOf } from "./address-kind";
import { requireLine } from "./find-line";
import { lineActions } from "./line.audit";
import { type Line, LineKind } from "./line.entity";
import { LineById } from "./line.inputs";
import { lineDriver } from "./line-driver";
import { type LineTarget, lineTarget, lineWithCredentials } from "./line-target";

@InputType({ description: "A line to test." })
export class TestLineInput extends LineById {
  @Optional(
    () => String,
    "Address to send the message to. Required for e-mail lines, optional for webhook lines.",
  )
  @IsText(ADDRESS_MAX_LENGTH, { singleLine: true })
  to?: string | null | undefined;
}

@ObjectType({ description: "Outcome of a test message." })
export class LineTest {
  @Field(() => AttemptOutcome, { description: "Outcome of the test." })
  outcome!: AttemptOutcome;

  @Nullable(
    () => String,
    "Machine-readable error code, such as `timeout`, `dns` or, for an HTTP status, `http_503`. Null if there was no error.",
  )
  code!: string | null;

  @Field(() => String, { description: "Human-readable description of the result." })
  @MaxCharacters(500)
  detail!: string;
}

/** Max line tests per organization per minute, in each process. */
const MAX_TESTS_PER_MINUTE = 10;

/** Sends test messages at members' request, bypassing the queue. */
export class LineTestService {
  private readonly turns = new OneAtATime(
    MAX_TESTS_PER_MINUTE,
    "Another line is being tested. Try again soon.",
  );

  constructor(
    private readonly database: Database,
    private readonly targets: Targets,
    private readonly instanceKey: InstanceKeyService,
  ) {}

  /**
   * Sends a message over a line, regardless of its state, and waits for the result. An organization can run
   * only one test at a time, because in each test, the server connects to a target chosen by a member.
   * @throws GatewayError `invalid_request`, `not_found`, `too_many_attempts`, or `conflict` if the instance
   *   key is missing
   */
  run(context: RequestContext, { id, to }: TestLineInput): Promise<LineTest> {
    const organizationId = organizationOf(context);
    return this.turns.run(organizationId, async () => {
      const { line, address } = await this.prepare(context, organizationId, id, to ?? null);
      return this.send(line.name, address, await lineTarget(line, this.instanceKey));
    });
  }

  private prepare(
    context: RequestContext,
    organizationId: string,
    id: string,
    to: string | null,
  ): Promise<{ line: Line; address: string | null }> {
    return this.database.writeFor(ownerOf(context.caller), async (tx) => {
      await assertSignedIn(tx, context, { permission: Permission.config_manage });
      const { name } = await requireLine(tx, organizationId, id);
      const line = (await lineWithCredentials(tx, id)) as Line;
      const address = addressOf(line, to);
      await recordAudit(tx, context, lineActions.line_tested, { id, name, organizationId });
      return { line, address };
    });
  }

  private async send(name: string, to: string | null, target: LineTarget): Promise<LineTest> {
    const send = lineDriver(this.targets, target);
    if (send === undefined) {
      const detail = "Messages on a local line stay on this server, so nothing was sent.";
      return { outcome: AttemptOutcome.accepted, code: null, detail };
    }
    const message = {
      id: uuid(),
      autoSubmitted: "auto-generated" as const,
      conversationId: null,
      contactId: null,
      to,
      text: `This is a test of the line "${name}".`,
      createdAt: timestamp(),
    };
    const signal = new AbortController().signal;
    const result = await send(message, { number: 1, signal, mayLeave: () => true });
    if (result.outcome !== AttemptOutcome.accepted) {
      const { outcome, code, detail } = result;
      return { outcome, code, detail };
    }
    const detail = result.isDelivered
      ? "The receiver accepted the message and reported it as delivered."
      : "The receiver accepted the message.";
    return { outcome: result.outcome, code: null, detail };
  }
}

/** @throws InvalidInput */
function addressOf(line: Line, to: string | null): string | null {
  const invalid = (message: string) => new InvalidInput([{ path: "input.to", message }]);
  if (to === null) {
    if (line.kind === LineKind.email) throw invalid("is required for e-mail lines");
    return null;
  }
  const found = normalizeAddress(addressKindOf(line), to);
  if ("problem" in found) throw invalid(found.problem);
  return found.address;
}
