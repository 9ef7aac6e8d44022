import { Args, type ClassType, Ctx, FieldResolver, Resolver, Root } from "type-graphql";
import type { RequestContext } from "../auth/context";
import type { Permission, Scope } from "../auth/permissions";
import { findIfAny } from "../common/coalesce";
import type { OrderedPageArgs } from "../pagination/connection";
import type { ListOfParent } from "../pagination/list-of-parent";
import { Access } from "./access";

/** A nullable field that links objects of a type to other objects. */
interface Link {
  name: string;
  access: { key: Scope; member: Permission };
  /** Description without the sentence about the required scope. */
  description: string;
}

const optionsOf = ({ access: { key }, description }: Link) => ({
  nullable: true,
  description: `${description} API keys need the \`${key}\` scope.`,
});

/** Declares the resolver class of a field that links to another object; `id` is the parent's property with its ID. */
export function linkById<Parent extends object, Target extends object>(
  Parent: ClassType<Parent>,
  Target: ClassType<Target>,
  { id, ...link }: Link & { id: keyof Parent & string },
) {
  @Resolver(() => Parent)
  class LinkResolver {
    constructor(private readonly service: { byId(id: string): Promise<Target | undefined> }) {}

    @Access(link.access)
    @FieldResolver(() => Target, optionsOf(link))
    [link.name](@Root() parent: object): Promise<Target | null> {
      return findIfAny(this.service.byId, (parent as Record<string, string | null>)[id]);
    }
  }
  return LinkResolver;
}

/** Declares the resolver class of a page of a parent's objects, read by `list`; null if the parent is deleted. */
export function linkToPage<Connection extends object, List extends string>(
  Parent: ClassType<{ id: string; deletedAt?: string | null }>,
  Connection: ClassType<Connection> | (new (...parameters: never[]) => Connection),
  PageArgs: ClassType<OrderedPageArgs>,
  { list, ...link }: Link & { list: List },
) {
  @Resolver(() => Parent)
  class LinkResolver {
    constructor(private readonly service: { [Name in List]: ListOfParent<Connection> }) {}

    @Access(link.access)
    @FieldResolver(() => Connection as ClassType<Connection>, optionsOf(link))
    [link.name](
      @Ctx() context: RequestContext,
      @Root() { id, deletedAt }: { id: string; deletedAt?: string | null },
      @Args(() => PageArgs) args: OrderedPageArgs,
    ): Promise<Connection> | null {
      return deletedAt == null ? this.service[list](context, id, args) : null;
    }
  }
  return LinkResolver;
}
