import { isAllowed } from "../../auth/authorize";
import { organizationOf, type RequestContext } from "../../auth/context";
import { Permission } from "../../auth/permissions";
import type { Database } from "../../database/database";
import type { Found } from "./find.types";
import { findById } from "./find-by-id";
import { findByText } from "./find-by-text";

/** Matches an ID in a string such as a URL or a log line. */
const ID = /(?<![0-9a-f])[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![0-9a-f])/;

/** Finds an organization's resources by text. */
export class FindService {
  constructor(private readonly database: Database) {}

  /** Returns resources that a string identifies or names and that the member may read, up to a limit per kind. */
  find(context: RequestContext, text: string): Promise<Found[]> {
    const may = (permission: Permission) =>
      isAllowed(context.caller, { allowed: { member: permission }, whileDeactivated: true }, false);
    const organizationId = organizationOf(context);
    return this.database.report(organizationId, (reader) => {
      const scope = {
        ...{ reader, context, organizationId },
        manages: may(Permission.config_manage),
        reads: may(Permission.conversations_read),
      };
      const id = ID.exec(text.toLowerCase())?.[0];
      return id === undefined ? findByText(scope, text.trim()) : findById(scope, id);
    });
  }
}
