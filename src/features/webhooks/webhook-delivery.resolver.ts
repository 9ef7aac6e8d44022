import { FieldResolver, ID, Resolver, Root } from "type-graphql";
import { Permission } from "../../auth/permissions";
import { Access } from "../../schema/access";
import { MaxCharacters } from "../../schema/list-size";
import { ThirdPartyText } from "../../schema/third-party-text";
import type { DeliveryLogService } from "./delivery-log.service";
import { BODY_MAX_LENGTH } from "./webhook.limits";
import { WebhookDelivery } from "./webhook-delivery.entity";

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
