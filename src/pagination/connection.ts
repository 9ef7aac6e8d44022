import { ArgsType, type ClassType, Field, Int, ObjectType } from "type-graphql";
import type { ObjectLiteral, SelectQueryBuilder } from "typeorm";
import { enumOf } from "../common/declared-enum";
import { JsonSchema } from "../common/json-schema";
import { Nullable } from "../common/nullable";
import { IsBetween } from "../common/range";
import { decodeCursor, encodeCursor } from "./cursor";
import { MAX_COUNT, Total } from "./total-count";

/** Items per page when the client omits `first`. */
export const DEFAULT_PAGE = 20;
/** Max items per page. */
export const MAX_PAGE = 100;

interface Row {
  id: string;
}

const idOf = ({ id }: Row): string => id;

/** The arguments of every list (forward pagination of Relay Cursor Connections). */
@ArgsType()
export class PageArgs {
  @Field(() => Int, { description: "Max items per page, 1 to 100, or 0 to read only `totalCount`." })
  @IsBetween(1, MAX_PAGE)
  first: number = DEFAULT_PAGE;

  @Nullable(() => String, "Returns the items after this cursor. Omit it for the first page.")
  @JsonSchema({ minLength: 1 })
  after!: string | null;
}

export const ListOrder = enumOf("ListOrder", "Sort order of a list.", {
  oldest_first: "By creation time, oldest first.",
  newest_first: "By creation time, newest first.",
});
export type ListOrder = keyof typeof ListOrder;

/** The arguments of a list that can be read in either order. */
@ArgsType()
export class OrderedPageArgs extends PageArgs {
  @Field(() => ListOrder, {
    description: "Sort order. The same cursor works with either order.",
  })
  order: ListOrder = ListOrder.oldest_first;
}

/** The arguments of a list that can be read in either order, by default newest first. */
@ArgsType()
export class NewestFirstPageArgs extends PageArgs {
  @Field(() => ListOrder, {
    description: "Sort order. The same cursor works with either order.",
  })
  order: ListOrder = ListOrder.newest_first;
}

/** Returns the order of a list as SQL. */
export const directionOf = (order: ListOrder): "ASC" | "DESC" =>
  order === ListOrder.newest_first ? "DESC" : "ASC";

/** A requested page, in the form that queries use. */
export interface Page {
  limit: number;
  /** Position of the row before the page: its ID, unless the list defines a different position. */
  after: string | undefined;
}

/** A class that creates connections from pages of rows. */
export interface ConnectionType<Row, Connection> {
  new (rows: readonly Row[], page: Page, count: () => Promise<number>): Connection;
  pageOf(args: PageArgs): Page;
}

/**
 * Limits a query to one page in the order of `id`, plus one row that shows whether a next page exists. With keyset
 * pagination, deep pages cost no more than the first page, and inserts between two reads neither repeat nor hide rows.
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

/** Limits a query like `paginate`, and reads the rows; there are none if the query is null. */
export const pageOfRows = async <T extends ObjectLiteral>(
  query: SelectQueryBuilder<T> | null,
  page: Page,
  order: "ASC" | "DESC" = "ASC",
): Promise<T[]> => (query === null ? [] : paginate(query, page, order).getMany());

@ObjectType({ description: "Position of a page in its list (Relay)." })
export class PageInfo {
  /** @param cursorAt returns the cursor of the start (0) or the end (-1) of the page */
  constructor(
    hasNextPage: boolean,
    hasPreviousPage: boolean,
    private readonly cursorAt: (index: 0 | -1) => string | null,
  ) {
    this.hasNextPage = hasNextPage;
    this.hasPreviousPage = hasPreviousPage;
  }

  @Field(() => Boolean, { description: "True if the list has items after this page." })
  readonly hasNextPage: boolean;

  @Field(() => Boolean, { description: "True if the page starts after a cursor." })
  readonly hasPreviousPage: boolean;

  @Nullable(() => String, "Cursor of the first item, or null for an empty page.")
  get startCursor(): string | null {
    return this.cursorAt(0);
  }

  @Nullable(
    () => String,
    "Cursor to pass as `after` for the next page. Null for an empty page, except for events, where it is the cursor to continue from.",
  )
  get endCursor(): string | null {
    return this.cursorAt(-1);
  }
}

/** Describes a page of rows; an empty page has no cursors. */
export const pageInfoOf = <T>(
  nodes: readonly T[],
  { after }: Page,
  more: boolean,
  cursorOf: (row: T) => string,
): PageInfo =>
  new PageInfo(more, after !== undefined, (index) => {
    const row = nodes.at(index);
    return row === undefined ? null : cursorOf(row);
  });

/** Creates the edge type of a node type. */
export function EdgeOf<T extends object>(Node: ClassType<T>, cursorOf: (node: T) => string) {
  @ObjectType(`${Node.name}Edge`, { description: "An item and its cursor." })
  class Edge {
    @Field(() => Node, { description: "The item." })
    readonly node: T;

    constructor(node: T) {
      this.node = node;
    }

    @Field(() => String, { description: "Cursor of the item, to pass as `after`." })
    get cursor(): string {
      return cursorOf(this.node);
    }
  }
  return Edge;
}

/** A page of rows, as returned by resolvers; `ConnectionOf` creates the object type. */
export interface Connection<T extends Row> {
  readonly nodes: readonly T[];
  readonly pageInfo: PageInfo;
}

/**
 * Creates the Relay connection type of a node type.
 * @param kind kind of the list's cursors, so that cursors from other lists are rejected
 * @param isPosition returns true if a string is a well-formed position of a row
 * @param positionOf returns a row's position for its cursor, without colons: its ID, unless the list has a different
 *   order
 */
export function ConnectionOf<T extends Row>(
  Node: ClassType<T>,
  kind: string,
  isPosition: (text: string) => boolean,
  positionOf: (row: T) => string = idOf,
) {
  const cursorOf = (row: T) => encodeCursor(kind, positionOf(row));
  const Edge = EdgeOf(Node, cursorOf);

  @ObjectType(`${Node.name}Connection`, { description: "A page of a list (Relay)." })
  class NodeConnection implements Connection<T> {
    @Field(() => [Node], { description: "The items on this page, without their cursors." })
    readonly nodes: readonly T[];

    @Field(() => PageInfo, { description: "Position of the page in the list." })
    readonly pageInfo: PageInfo;

    private found: Promise<number> | undefined;

    /** @param count counts the whole list like `countRows`; lists read only by the command line need none */
    constructor(
      rows: readonly T[],
      page: Page,
      private readonly count?: () => Promise<number>,
    ) {
      const more = rows.length > page.limit;
      this.nodes = more ? rows.slice(0, page.limit) : rows;
      this.pageInfo = pageInfoOf(this.nodes, page, more, cursorOf);
    }

    @Field(() => [Edge], { description: "The items on this page, each with its cursor." })
    get edges(): InstanceType<typeof Edge>[] {
      return this.nodes.map((node) => new Edge(node));
    }

    @Total()
    @Field(() => Int, {
      description:
        "Number of items across all pages, at most 10,000. The list is counted only if this field or `isTotalCountExact` is selected, and only then can `first` be 0.",
    })
    async totalCount(): Promise<number> {
      return Math.min(await this.counted(), MAX_COUNT);
    }

    @Total()
    @Field(() => Boolean, {
      description: "True if `totalCount` is exact, or false if the list has more than 10,000 items.",
    })
    async isTotalCountExact(): Promise<boolean> {
      return (await this.counted()) <= MAX_COUNT;
    }

    private counted(): Promise<number> {
      if (this.count === undefined) throw new Error(`The list of ${Node.name} items cannot be counted.`);
      this.found ??= this.count();
      return this.found;
    }

    /** @throws GatewayError `invalid_cursor` */
    static pageOf({ first, after }: PageArgs): Page {
      return {
        limit: first,
        after: after == null ? undefined : decodeCursor(kind, after, isPosition),
      };
    }
  }
  return NodeConnection;
}
