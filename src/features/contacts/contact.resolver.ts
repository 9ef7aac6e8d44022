import { Args, Ctx, FieldResolver, Mutation, Query, Resolver, Root } from "type-graphql";
import type { RequestContext } from "../../auth/context";
import { Permission } from "../../auth/permissions";
import { MAX_PAGE, OrderedPageArgs } from "../../pagination/connection";
import { Access } from "../../schema/access";
import { linkById, linkToPage } from "../../schema/links";
import { AtMost, AtMostInAll } from "../../schema/list-size";
import { Input } from "../../schema/mutation-input";
import { Report } from "../../schema/report";
import { Agent } from "../agents/agent.entity";
import { AgentService } from "../agents/agent.service";
import { unlessDeleted } from "../agents/agent-scope";
import { AuditEntry } from "../audit/audit-entry.entity";
import { Consent } from "./consent.entity";
import { MAY_READ_CONTACTS } from "./contact.access";
import { Contact, ContactConnection } from "./contact.entity";
import {
  ChangeContactTagsInput,
  ContactArgs,
  ContactExportArgs,
  ContactsArgs,
  EraseContactInput,
  MarkAddressDeliverableInput,
  SetConsentInput,
  TagChange,
} from "./contact.inputs";
import { EXPORT_PAGE_MAX_CHARACTERS, MAX_ADDRESSES, MAX_TAGS, MAX_TOPICS } from "./contact.limits";
import { ContactService } from "./contact.service";
import { ContactAddress } from "./contact-address.entity";
import { ContactExport } from "./contact-export";
import { ContactRecordConnection } from "./contact-record";
import { PutContactInput, PutContactsInput, PutContactsPayload, StoredContact } from "./put-contact.inputs";
import { Topic } from "./topic";

/** Assumed number of consents per contact; most contacts have one address and consents for a few topics. */
const ASSUMED_CONSENTS = 20;

const WRITE = { key: "contacts:write", member: Permission.conversations_write } as const;

@Resolver(() => Agent)
export class AgentTopicsResolver {
  constructor(private readonly service: ContactService) {}

  @Access(MAY_READ_CONTACTS)
  @AtMost(MAX_TOPICS)
  @FieldResolver(() => [Topic], {
    nullable: true,
    description:
      "The topics in the agent's live policy, or null for a deleted agent. API keys need the `contacts:read` scope.",
  })
  topics(@Root() agent: Agent) {
    return unlessDeleted(agent, async (id) => (await this.service.topicsOf(id)) ?? []);
  }
}

@Resolver(() => Contact)
export class ContactResolver {
  constructor(
    private readonly service: ContactService,
    private readonly contactExport: ContactExport,
    private readonly agents: AgentService,
  ) {}

  @Access(MAY_READ_CONTACTS)
  @Query(() => Contact, {
    nullable: true,
    description: "One contact by its ID or `ref`, or null if it does not exist.",
  })
  contact(@Ctx() context: RequestContext, @Args() args: ContactArgs) {
    return this.service.find(context, args);
  }

  @Access(MAY_READ_CONTACTS)
  @Report()
  @Query(() => ContactConnection, {
    description: "An agent's contacts, excluding erased contacts.",
  })
  contacts(@Ctx() context: RequestContext, @Args() args: ContactsArgs) {
    return this.service.list(context, args);
  }

  @Access({ key: "contacts:export", member: Permission.config_manage })
  @Report()
  @AtMostInAll({ values: MAX_PAGE * 10, characters: 2 * EXPORT_PAGE_MAX_CHARACTERS })
  @Query(() => ContactRecordConnection, {
    description:
      "Everything stored about a contact. A page of large records may contain fewer records than requested.",
  })
  exportContact(@Ctx() context: RequestContext, @Args() args: ContactExportArgs) {
    return this.contactExport.read(context, args);
  }

  @Access(WRITE)
  @Mutation(() => StoredContact, {
    description:
      "Creates a contact, or changes the contact with the same `ref` or addresses. Repeating a call has no effect.",
  })
  putContact(@Ctx() context: RequestContext, @Input() input: PutContactInput) {
    return this.service.put(context, input);
  }

  @Access(WRITE)
  @Mutation(() => PutContactsPayload, {
    description:
      "Creates or changes up to 500 contacts as `putContact` does, and returns a result for each. Repeating a call has no effect.",
  })
  async putContacts(@Ctx() context: RequestContext, @Input() input: PutContactsInput) {
    return { results: await this.service.putAll(context, input) };
  }

  @Access({ key: "contacts:write", member: Permission.config_manage })
  @Mutation(() => Contact, {
    description:
      "Deletes all data about a contact except its ID and timestamps. Erasing a contact again has no effect.",
  })
  eraseContact(@Ctx() context: RequestContext, @Input() { id }: EraseContactInput) {
    return this.service.erase(context, id);
  }

  @Access(WRITE)
  @Mutation(() => TagChange, {
    description: "Adds and removes a contact's tags atomically.",
  })
  changeContactTags(@Ctx() context: RequestContext, @Input() input: ChangeContactTagsInput) {
    return this.service.changeTags(context, input);
  }

  @Access(WRITE)
  @Mutation(() => Contact, {
    description:
      "Sets a contact's consent to receive messages. An opt-out cancels queued and scheduled messages. Setting the current state again has no effect.",
  })
  setConsent(@Ctx() context: RequestContext, @Input() input: SetConsentInput) {
    return this.service.setConsent(context, input);
  }

  @Access(WRITE)
  @Mutation(() => Contact, {
    description:
      "Marks an address as deliverable again after a mail server reported it as nonexistent. Marking a deliverable address has no effect.",
  })
  markAddressDeliverable(
    @Ctx() context: RequestContext,
    @Input() { id, addressId }: MarkAddressDeliverableInput,
  ): Promise<Contact> {
    return this.service.markDeliverable(context, id, addressId);
  }

  @AtMost(MAX_ADDRESSES)
  @FieldResolver(() => [ContactAddress], {
    description: "The contact's addresses, oldest first.",
  })
  async addresses(@Root() { id }: Contact) {
    return (await this.service.addressesOf(id)) ?? [];
  }

  @AtMost(ASSUMED_CONSENTS)
  @FieldResolver(() => [Consent], {
    description: "Consent recorded for the contact's addresses.",
  })
  consents(@Root() { id }: Contact) {
    return this.service.consentsOf(id);
  }

  @AtMost(MAX_TAGS)
  @FieldResolver(() => [String], { description: "The contact's tags, in alphabetical order." })
  tags(@Root() { id }: Contact) {
    return this.service.tagsOf(id);
  }

  @FieldResolver(() => Agent, { description: "The contact's agent." })
  agent(@Root() contact: Contact) {
    return this.agents.of(contact);
  }
}

/** Links that `ContactService` reads. */
export const contactLinks = [
  linkToPage(Agent, ContactConnection, OrderedPageArgs, {
    name: "contacts",
    access: MAY_READ_CONTACTS,
    description: "The agent's contacts, or null for a deleted agent.",
    list: "ofAgent",
  }),
  linkById(AuditEntry, Contact, {
    name: "contact",
    access: MAY_READ_CONTACTS,
    description: "The contact that was changed or erased, or null for other entries.",
    id: "targetId",
  }),
];
