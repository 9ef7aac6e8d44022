import type { EntityManager, ObjectLiteral, SelectQueryBuilder } from "typeorm";
import { organizationOf, type RequestContext } from "../../auth/context";
import type { Database } from "../../database/database";
import { GatewayError, noSuch } from "../../errors";
import type { Page } from "../../pagination/connection";
import { countRows, MAX_COUNT } from "../../pagination/total-count";
import type { HookRegistry } from "../../schema/hooks";
import { findOfCaller } from "../agents/agent-scope";
import { Contact } from "./contact.entity";
import type { ContactExportArgs } from "./contact.inputs";
import { EXPORT_PAGE_MAX_CHARACTERS } from "./contact.limits";
import { type ContactRecord, ContactRecordConnection, type ContactRecordKind } from "./contact-record";

/** A table's rows about a contact, as part of an export. */
export interface ContactPart {
  kind: ContactRecordKind;
  rows(reader: EntityManager, contactId: string): SelectQueryBuilder<ObjectLiteral>;
  /** The properties that uniquely order the rows, as `alias.property`; an index must cover them. */
  order: readonly string[];
  /** Returns the data to export; if omitted, the rows are exported unchanged. */
  dataOf?(reader: EntityManager, rows: readonly ObjectLiteral[]): Promise<object[]>;
}

declare module "../../schema/hooks" {
  interface Hooks {
    contactExported: ContactPart;
  }
}

/** Valid integers by column type; PostgreSQL fails to compare an integer column with other text. */
const INTEGERS: Readonly<Partial<Record<string, RegExp>>> = { integer: /^\d{1,9}$/, bigint: /^\d{1,18}$/ };

/** Exports all data that the features store about a contact, page by page. */
export class ContactExport {
  constructor(
    private readonly database: Database,
    private readonly hooks: HookRegistry,
  ) {}

  /**
   * Returns one page of the records about a contact, in feature order; with large records, a shorter page.
   * @throws GatewayError `not_found`, `invalid_cursor`
   */
  async read(context: RequestContext, { id, ...args }: ContactExportArgs): Promise<ContactRecordConnection> {
    const page = ContactRecordConnection.pageOf(args);
    const read = <T>(query: (reader: EntityManager) => Promise<T>) =>
      this.database.report(organizationOf(context), async (reader) => {
        if ((await findOfCaller(reader, context, Contact, id)) === null) throw noSuch("contact");
        return query(reader);
      });
    const { records, kept } = await read((reader) => this.page(reader, id, page));
    return new ContactRecordConnection(records, { ...page, limit: kept }, () =>
      read((reader) => this.count(reader, id)),
    );
  }

  /** @returns a page's records, plus one if there is a next page; `kept` is the number on the page itself */
  private async page(
    reader: EntityManager,
    contactId: string,
    { after, limit }: Page,
  ): Promise<{ records: ContactRecord[]; kept: number }> {
    const [start = "0", ...last] = after?.split("/").map(decodeURIComponent) ?? [];
    const records: ContactRecord[] = [];
    let characters = 0;
    for (const [i, part] of this.hooks.of("contactExported").entries()) {
      if (i < Number(start) || records.length > limit) continue;
      const from = i === Number(start) ? last : [];
      const rest = limit + 1 - records.length;
      for (const record of await this.recordsOf(reader, contactId, i, part, from, rest)) {
        characters += JSON.stringify(record.data).length;
        records.push(record);
        if (characters > EXPORT_PAGE_MAX_CHARACTERS && records.length > 1)
          return { records, kept: records.length - 1 };
      }
    }
    return { records, kept: limit };
  }

  private async recordsOf(
    reader: EntityManager,
    contactId: string,
    i: number,
    { kind, rows, order, dataOf }: ContactPart,
    after: readonly string[],
    limit: number,
  ): Promise<ContactRecord[]> {
    const query = rows(reader, contactId);
    const properties = order.map((each) => each.split(".")[1] as string);
    if (after.length > 0) {
      const formOf = (property: string) =>
        INTEGERS[String(query.expressionMap.mainAlias?.metadata.findColumnWithPropertyName(property)?.type)];
      const isValid = (property: string, n: number) => formOf(property)?.test(after[n] ?? "") ?? true;
      if (after.length !== order.length || !properties.every(isValid))
        throw new GatewayError("invalid_cursor");
      const values = Object.fromEntries(after.map((value, n) => [`after${n}`, value]));
      const names = Object.keys(values).map((name) => `:${name}`);
      query.andWhere(`(${order.join(", ")}) > (${names.join(", ")})`, values);
    }
    for (const each of order) query.addOrderBy(each);
    const found = await query.limit(limit).getMany();
    const data = (await dataOf?.(reader, found)) ?? found;
    return found.map((row, n) => ({
      id: [i, ...properties.map((property) => encodeURIComponent(String(row[property])))].join("/"),
      kind,
      data: data[n] as object,
    }));
  }

  private async count(reader: EntityManager, contactId: string): Promise<number> {
    let count = 0;
    for (const { rows } of this.hooks.of("contactExported"))
      if (count <= MAX_COUNT) count += await countRows(reader, rows(reader, contactId));
    return count;
  }
}
