import { Arg, Ctx, ID, Mutation, Query, Resolver } from "type-graphql";
import type { RequestContext } from "../../auth/context";
import { Permission } from "../../auth/permissions";
import { Access } from "../../schema/access";
import { Input } from "../../schema/mutation-input";
import { ConnectApplicationInput, ConnectApplicationResult, ConnectionRequest } from "./connection.inputs";
import type { ConnectionService } from "./connection.service";

@Resolver()
export class ConnectionResolver {
  constructor(private readonly connections: ConnectionService) {}

  @Access({ member: Permission.config_manage })
  @Query(() => ConnectionRequest, {
    nullable: true,
    description:
      "An application's request to act as an agent, or null if the request does not exist or has expired.",
  })
  connectionRequest(
    @Arg("id", () => ID, { description: "ID of the request." }) id: string,
  ): Promise<ConnectionRequest | null> {
    return this.connections.requestOf(id);
  }

  @Access({ member: Permission.config_manage }, { recentSignIn: true })
  @Mutation(() => ConnectApplicationResult, {
    description:
      "Consents to an application's request. Once the browser opens the returned URL, the application is connected and receives an API key for the agent. Requires a recent sign-in.",
  })
  connectApplication(
    @Ctx() context: RequestContext,
    @Input() input: ConnectApplicationInput,
  ): Promise<ConnectApplicationResult> {
    return this.connections.consent(context, input);
  }
}
