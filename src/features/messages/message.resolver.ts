import { Arg, Args, Ctx, ID, Mutation, Query, Resolver } from "type-graphql";
import type { RequestContext } from "../../auth/context";
import { Scope } from "../../auth/permissions";
import { Access } from "../../schema/access";
import { Message } from "./message.entity";
import { MessageConnection, MessagesArgs, NewMessage } from "./message.inputs";
import { MessageService } from "./message.service";

@Resolver(() => Message)
export class MessageResolver {
  constructor(private readonly service: MessageService) {}

  @Access({ key: Scope.messages_read })
  @Query(() => MessageConnection, { description: "Messages of the agent of the API key, oldest first." })
  messages(
    @Ctx() context: RequestContext,
    @Args(() => MessagesArgs) args: MessagesArgs,
  ): Promise<MessageConnection> {
    return this.service.list(context, args);
  }

  @Access({ key: Scope.messages_read })
  @Query(() => Message, {
    nullable: true,
    description: "One message of the agent of the API key; null if it does not exist.",
  })
  message(
    @Ctx() context: RequestContext,
    @Arg("id", () => ID, { description: "ID of the message." }) id: string,
  ): Promise<Message | null> {
    return this.service.find(context, id);
  }

  @Access({ key: Scope.messages_write })
  @Mutation(() => Message, { description: "Queues a message for the agent of the API key." })
  sendMessage(
    @Ctx() context: RequestContext,
    @Arg("input", () => NewMessage, { description: "The message." }) input: NewMessage,
  ): Promise<Message> {
    return this.service.send(context, input);
  }

  @Access({ key: Scope.messages_write })
  @Mutation(() => Message, { description: "Cancels a message of the agent that has not been sent." })
  cancelMessage(
    @Ctx() context: RequestContext,
    @Arg("id", () => ID, { description: "ID of the message." }) id: string,
  ): Promise<Message> {
    return this.service.cancel(context, id);
  }
}
