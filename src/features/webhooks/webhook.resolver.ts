import { Arg, Args, Ctx, FieldResolver, ID, Mutation, Query, Resolver, Root } from "type-graphql";
import type { RequestContext } from "../../auth/context";
import { Permission } from "../../auth/permissions";
import { Access } from "../../schema/access";
import { AtMost, MaxCharacters } from "../../schema/list-size";
import { Input } from "../../schema/mutation-input";
import { Report } from "../../schema/report";
import { ThirdPartyText } from "../../schema/third-party-text";
import type { DeliveryLogService } from "./delivery-log.service";
import type { RedeliveryService } from "./redelivery.service";
import {
  CreateWebhookEndpointInput,
  DeleteWebhookEndpointInput,
  DisableWebhookEndpointInput,
  EnableWebhookEndpointInput,
  MissedEvents,
  MissedEventsArgs,
  RedeliverInput,
  ResendWebhookDeliveryInput,
  RotateWebhookSecretInput,
  SendTestEventInput,
  UpdateWebhookEndpointInput,
  WebhookDeliveriesArgs,
  WebhookEndpointWithSecret,
  WebhookTest,
} from "./webhook.inputs";
import { BODY_MAX_LENGTH, MAX_ENDPOINTS } from "./webhook.limits";
import type { WebhookService } from "./webhook.service";
import { WebhookDelivery, WebhookDeliveryConnection } from "./webhook-delivery.entity";
import { WebhookEndpoint } from "./webhook-endpoint.entity";
import type { WebhookTestService } from "./webhook-test.service";

const ENDPOINT_ID = { description: "ID of the webhook endpoint." };
const MANAGERS = { member: Permission.config_manage, organizationKey: "webhooks:manage" } as const;

@Resolver(() => WebhookEndpoint)
export class WebhookResolver {
  constructor(
    private readonly service: WebhookService,
    private readonly log: DeliveryLogService,
    private readonly redeliveries: RedeliveryService,
    private readonly tests: WebhookTestService,
  ) {}

  @Access(MANAGERS)
  @AtMost(MAX_ENDPOINTS)
  @Query(() => [WebhookEndpoint], { description: "The organization's webhook endpoints, oldest first." })
  webhookEndpoints(
    @Ctx() context: RequestContext,
    @Arg("agentId", () => ID, {
      nullable: true,
      description: "Only endpoints that receive this agent's events.",
    })
    agentId: string | null | undefined,
  ): Promise<WebhookEndpoint[]> {
    return this.service.list(context, agentId);
  }

  @Access(MANAGERS)
  @Query(() => WebhookEndpoint, {
    nullable: true,
    description: "One webhook endpoint, or null if it does not exist.",
  })
  webhookEndpoint(
    @Ctx() context: RequestContext,
    @Arg("id", () => ID, ENDPOINT_ID) id: string,
  ): Promise<WebhookEndpoint | null> {
    return this.service.find(context, id);
  }

  @Access(MANAGERS)
  @Report()
  @Query(() => WebhookDeliveryConnection, {
    description: "A webhook endpoint's deliveries, newest first.",
  })
  webhookDeliveries(
    @Ctx() context: RequestContext,
    @Args() args: WebhookDeliveriesArgs,
  ): Promise<WebhookDeliveryConnection> {
    return this.log.list(context, args);
  }

  @Access(MANAGERS)
  @Mutation(() => WebhookEndpointWithSecret, {
    description:
      "Creates a webhook endpoint that receives all future events. An organization can have at most 20 endpoints.",
  })
  createWebhookEndpoint(
    @Ctx() context: RequestContext,
    @Input() input: CreateWebhookEndpointInput,
  ): Promise<WebhookEndpointWithSecret> {
    return this.service.create(context, input);
  }

  @Access(MANAGERS)
  @Mutation(() => WebhookEndpoint, {
    description:
      "Changes the settings of a webhook endpoint. If the URL changes, pending deliveries are sent to the new URL immediately.",
  })
  updateWebhookEndpoint(
    @Ctx() context: RequestContext,
    @Input() input: UpdateWebhookEndpointInput,
  ): Promise<WebhookEndpoint> {
    return this.service.update(context, input);
  }

  @Access(MANAGERS)
  @Mutation(() => WebhookEndpoint, {
    description: "Deletes a webhook endpoint and its delivery log. Deletion cannot be undone.",
  })
  deleteWebhookEndpoint(
    @Ctx() context: RequestContext,
    @Input() { id }: DeleteWebhookEndpointInput,
  ): Promise<WebhookEndpoint> {
    return this.service.delete(context, id);
  }

  @Access(MANAGERS)
  @Mutation(() => WebhookEndpoint, {
    description:
      "Re-enables a webhook endpoint. It receives its pending deliveries and all future events. Use `redeliver` for missed events.",
  })
  enableWebhookEndpoint(
    @Ctx() context: RequestContext,
    @Input() { id }: EnableWebhookEndpointInput,
  ): Promise<WebhookEndpoint> {
    return this.service.enable(context, id);
  }

  @Access(MANAGERS)
  @Mutation(() => WebhookEndpoint, {
    description: "Disables a webhook endpoint. Nothing is sent to it until it is enabled again.",
  })
  disableWebhookEndpoint(
    @Ctx() context: RequestContext,
    @Input() { id }: DisableWebhookEndpointInput,
  ): Promise<WebhookEndpoint> {
    return this.service.disable(context, id);
  }

  @Access(MANAGERS)
  @Mutation(() => WebhookEndpointWithSecret, {
    description:
      "Creates a new signing secret for a webhook endpoint. For 24 hours, events are also signed with the previous secret.",
  })
  rotateWebhookSecret(
    @Ctx() context: RequestContext,
    @Input() input: RotateWebhookSecretInput,
  ): Promise<WebhookEndpointWithSecret> {
    return this.service.rotateSecret(context, input);
  }

  @Access(MANAGERS)
  @Mutation(() => WebhookEndpoint, {
    description:
      "Redelivers the events that a webhook endpoint missed or failed to accept, starting at a time or after a position. The start may precede the endpoint's creation.",
  })
  redeliver(@Ctx() context: RequestContext, @Input() input: RedeliverInput): Promise<WebhookEndpoint> {
    return this.redeliveries.redeliver(context, input);
  }

  @Access(MANAGERS)
  @Report()
  @Query(() => MissedEvents, {
    description: "The number of events that `redeliver` would send to a webhook endpoint.",
  })
  missedWebhookEvents(@Ctx() context: RequestContext, @Args() args: MissedEventsArgs): Promise<MissedEvents> {
    return this.redeliveries.countMissed(context, args);
  }

  @Access(MANAGERS)
  @Mutation(() => WebhookDelivery, {
    description:
      "Resends a delivery's event to the webhook endpoint immediately, even if the event has already been delivered or is awaiting its next attempt. If the delivery `waitsFor` an earlier event, it is sent after that event.",
  })
  resendWebhookDelivery(
    @Ctx() context: RequestContext,
    @Input() { id }: ResendWebhookDeliveryInput,
  ): Promise<WebhookDelivery> {
    return this.redeliveries.resend(context, id);
  }

  @Access(MANAGERS)
  @Mutation(() => WebhookTest, {
    description:
      "Sends an event of type `webhook.test` to a webhook endpoint immediately, regardless of its state, and returns the result. An organization can run one test at a time and at most 10 per minute.",
  })
  sendTestEvent(@Ctx() context: RequestContext, @Input() { id }: SendTestEventInput): Promise<WebhookTest> {
    return this.tests.run(context, id);
  }
}

@Resolver(() => WebhookDelivery)
export class WebhookDeliveryResolver {
  constructor(private readonly log: DeliveryLogService) {}

  // Events contain text from contacts, so permission to manage webhooks is not sufficient to read them.
  @Access({ member: Permission.conversations_read })
  @MaxCharacters(BODY_MAX_LENGTH)
  @ThirdPartyText()
  @FieldResolver(() => String, {
    nullable: true,
    description:
      "Request body, or null if the event is no longer stored. Requires the permission `conversations:read`.",
  })
  async body(@Root() { id }: WebhookDelivery): Promise<string | null> {
    return (await this.log.bodyOf(id)) ?? null;
  }

  @FieldResolver(() => ID, {
    nullable: true,
    description:
      "ID of the earlier event with the same subject that must be delivered or fail first. Null if there is none, or if this delivery is not pending.",
  })
  waitsFor(@Root() delivery: WebhookDelivery): Promise<string | null> {
    return this.log.waitsFor(delivery);
  }
}
