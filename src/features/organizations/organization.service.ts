import { IsNull, Not } from "typeorm";
import { v7 as uuid } from "uuid";
import { assertSignedIn } from "../../auth/assert-signed-in";
import { ownerOf } from "../../auth/caller";
import { operatorFor, organizationOf, type RequestContext } from "../../auth/context";
import { Permission } from "../../auth/permissions";
import { timestamp } from "../../common/time";
import type { Database } from "../../database/database";
import { insertUnlessTaken } from "../../database/insert-unless-taken";
import type { Tx } from "../../database/unit-of-work";
import type { Lanes } from "../../delivery/lanes";
import { GatewayError } from "../../errors";
import { recordAudit } from "../audit/audit";
import type { AuditAction } from "../audit/audit-actions";
import { organizationActions } from "./organization.audit";
import { Organization } from "./organization.entity";
import type { NewOrganization, RenameOrganizationInput } from "./organization.inputs";

/** Creates, lists, renames, deactivates and reactivates organizations. */
export class OrganizationService {
  constructor(
    private readonly database: Database,
    private readonly lanes: Lanes,
  ) {}

  /** Returns all organizations, ordered by slug. Used by the command line. */
  list(): Promise<Organization[]> {
    return this.database.read((reader) => reader.find(Organization, { order: { slug: "ASC" } }));
  }

  /** Finds an organization for the command line, or throws `not_found`. */
  async bySlug(slug: string): Promise<Organization> {
    const found = await this.database.read((reader) => reader.findOneBy(Organization, { slug }));
    if (found === null) throw new GatewayError("not_found", `There is no organization "${slug}".`);
    return found;
  }

  /** Creates an organization on behalf of an operator, or throws `conflict` if the slug is taken. */
  create({ slug, name: given }: NewOrganization, tx?: Tx): Promise<Organization> {
    const name = given.trim();
    const unit = async (tx: Tx) => {
      const id = uuid();
      const fields = { id, slug, name, deactivatedAt: null, createdAt: timestamp() };
      const organization = tx.create(Organization, fields);
      await insertUnlessTaken(tx, Organization, organization, `An organization "${slug}" already exists.`);
      const context = operatorFor(organization);
      const { organization_created } = organizationActions;
      await recordAudit(tx, context, organization_created, targetOf(organization), { name: [null, name] });
      return organization;
    };
    return this.database.write(unit, { tx });
  }

  /** Changes the display name of the caller's organization. Setting the current name records nothing. */
  rename(context: RequestContext, { name }: RenameOrganizationInput): Promise<Organization> {
    const id = organizationOf(context);
    return this.database.writeFor(ownerOf(context.caller), async (tx) => {
      await assertSignedIn(tx, context, { permission: Permission.config_manage });
      // Locks the organization's row, because the audit log must show the name that this change replaces.
      await tx.update(Organization, { id }, { createdAt: () => "created_at" });
      const organization = await tx.findOneByOrFail(Organization, { id });
      const next = name.trim();
      if (next === organization.name) return organization;
      await tx.update(Organization, { id }, { name: next });
      const changes = { name: [organization.name, next] } as const;
      await recordAudit(
        tx,
        context,
        organizationActions.organization_renamed,
        targetOf(organization),
        changes,
      );
      return { ...organization, name: next };
    });
  }

  /** Deactivates the caller's organization: its keys stop resolving, effective on the next request. Idempotent. */
  deactivate(context: RequestContext): Promise<Organization> {
    return this.switch(context, timestamp(), organizationActions.organization_deactivated);
  }

  reactivate(context: RequestContext): Promise<Organization> {
    return this.switch(context, null, organizationActions.organization_reactivated);
  }

  private switch(
    context: RequestContext,
    deactivatedAt: string | null,
    action: AuditAction,
  ): Promise<Organization> {
    const id = organizationOf(context);
    return this.database.writeFor(ownerOf(context.caller), async (tx) => {
      await assertSignedIn(tx, context, { permission: Permission.config_manage, whileDeactivated: true });
      const other = deactivatedAt === null ? Not(IsNull()) : IsNull();
      const { affected } = await tx.update(Organization, { id, deactivatedAt: other }, { deactivatedAt });
      if (deactivatedAt !== null) await tx.waitForInserts();
      else await this.wakeAgents(tx, id);
      const organization = await tx.findOneByOrFail(Organization, { id });
      if (affected === 1) await recordAudit(tx, context, action, targetOf(organization));
      return organization;
    });
  }

  /** Wakes the agents' lanes, whose deliveries were held back while the organization was deactivated. */
  private async wakeAgents(tx: Tx, organizationId: string): Promise<void> {
    const agents: { id: string }[] = await tx.query(
      "SELECT id FROM agent WHERE organization_id = $1 AND deleted_at IS NULL",
      [organizationId],
    );
    await this.lanes.wakeAgents(
      tx,
      agents.map(({ id }) => id),
    );
  }
}

const targetOf = ({ id, slug }: Organization) => ({ id, name: slug, organizationId: id });
