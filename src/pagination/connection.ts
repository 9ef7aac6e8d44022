import { IsOptional } from "class-validator";
import { ArgsType, type ClassType, Field, Int, ObjectType } from "type-graphql";
import type { ObjectLiteral, SelectQueryBuilder } from "typeorm";
import { JsonSchema } from "../common/json-schema";
import { IsBetween } from "../common/range";
import { decodeCursor, encodeCursor } from "./cursor";

/** Rows of a page when the client does not say. */
export const DEFAULT_PAGE = 20;
export const MAX_PAGE = 100;

interface Row {
  id: string;
}

/** The arguments that every list takes (Relay Cursor Connections, forward pagination). */
@ArgsType()
export class PageArgs {
  @Field(() => Int, { nullable: true, defaultValue: DEFAULT_PAGE, description: "How many, 1 to 100." })
  @IsOptional()
  @IsBetween(1, MAX_PAGE)
  first!: number | null;

  @Field(() => String, {
    nullable: true,
    description: "The cursor after which to go on; without one, the start.",
  })
  @JsonSchema({ minLength: 1 })
  after!: string | null;
}

/** A page asked for, in the terms of the database. */
export interface Page {
  limit: number;
  /** Id of the row after which the page begins. */
  after: string | undefined;
}

/**
 * Narrows a query to one page in the order of `id`, with one row more to tell whether there are others. A deep
 * page costs what the first costs, and rows added meanwhile neither repeat nor hide others.
 */
export function paginate<T extends ObjectLiteral>(
  query: SelectQueryBuilder<T>,
  { after, limit }: Page,
  order: "ASC" | "DESC" = "ASC",
): SelectQueryBuilder<T> {
  const id = `${query.alias}.id`;
  if (after !== undefined) query.andWhere(`${id} ${order === "ASC" ? ">" : "<"} :after`, { after });
  return query.orderBy(id, order).limit(limit + 1);
}

@ObjectType({ simpleResolvers: true, description: "Where a page stands in its list (Relay)." })
export class PageInfo {
  constructor(
    private readonly kind: string,
    private readonly rows: readonly Row[],
    page: Page,
    more: boolean,
  ) {
    this.hasNextPage = more;
    this.hasPreviousPage = page.after !== undefined;
  }

  @Field(() => Boolean, { description: "Whether there are more after this page." })
  readonly hasNextPage: boolean;

  @Field(() => Boolean, { description: "Whether the page began after a cursor." })
  readonly hasPreviousPage: boolean;

  @Field(() => String, { nullable: true, description: "Cursor of the first item." })
  get startCursor(): string | null {
    return this.cursorOf(this.rows[0]);
  }

  @Field(() => String, { nullable: true, description: "Cursor of the last item, for `after`." })
  get endCursor(): string | null {
    return this.cursorOf(this.rows.at(-1));
  }

  private cursorOf(row: Row | undefined): string | null {
    return row === undefined ? null : encodeCursor(this.kind, row.id);
  }
}

/** A page of rows as resolvers return it; the object type is made by `ConnectionOf`. */
export interface Connection<T extends Row> {
  readonly nodes: readonly T[];
  readonly pageInfo: PageInfo;
}

/**
 * Makes the Relay connection type of a node type.
 * @param kind what its cursors are bound to, so that a cursor of another list is refused
 * @param isId whether a text can be the id of a row
 */
export function ConnectionOf<T extends Row>(
  Node: ClassType<T>,
  kind: string,
  isId: (text: string) => boolean,
) {
  @ObjectType(`${Node.name}Edge`, {
    simpleResolvers: true,
    description: "An item and its place in the list.",
  })
  class Edge {
    @Field(() => Node, { description: "The item." })
    readonly node: T;

    constructor(node: T) {
      this.node = node;
    }

    @Field(() => String, { description: "The item's place, for `after`." })
    get cursor(): string {
      return encodeCursor(kind, this.node.id);
    }
  }

  @ObjectType(`${Node.name}Connection`, { simpleResolvers: true, description: "A page of a list (Relay)." })
  class NodeConnection implements Connection<T> {
    @Field(() => [Node], { description: "The items of the page, without their cursors." })
    readonly nodes: readonly T[];

    @Field(() => PageInfo, { description: "Where the page stands in the list." })
    readonly pageInfo: PageInfo;

    /** @param rows what a query narrowed by `paginate` found */
    constructor(rows: readonly T[], page: Page) {
      const more = rows.length > page.limit;
      this.nodes = more ? rows.slice(0, page.limit) : rows;
      this.pageInfo = new PageInfo(kind, this.nodes, page, more);
    }

    @Field(() => [Edge], { description: "The items of the page, each with its cursor." })
    get edges(): Edge[] {
      return this.nodes.map((node) => new Edge(node));
    }

    /** The page that a client asks for. @throws GatewayError `invalid_cursor` */
    static pageOf({ first, after }: PageArgs): Page {
      return {
        limit: first ?? DEFAULT_PAGE,
        after: after == null ? undefined : decodeCursor(kind, after, isId),
      };
    }
  }
  return NodeConnection;
}
