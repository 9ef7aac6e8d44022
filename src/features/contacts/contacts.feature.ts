import { IsNull, MoreThan } from "typeorm";
import { type Core, feature } from "../../schema/feature";
import type { AgentService } from "../agents/agent.service";
import { purgeRows } from "../agents/agent-purge";
import { eraseEvents } from "../events/erase-events";
import { Consent } from "./consent.entity";
import { Consents, rehashConsents } from "./consents";
import { Contact } from "./contact.entity";
import { contactEventTypes } from "./contact.event-types";
import { AgentTopicsResolver, ContactResolver, contactLinks } from "./contact.resolver";
import { contactRoutes } from "./contact.routes";
import { contactScopes } from "./contact.scopes";
import { ContactService } from "./contact.service";
import { ContactAddress } from "./contact-address.entity";
import { ContactExport } from "./contact-export";
import { ContactTag } from "./contact-tag.entity";
import { ContactTerm } from "./contact-term.entity";
import { CONTACT_RETENTION, UntouchedContacts } from "./erase-untouched";
import { Erasure } from "./erasure.entity";
import { Erasures } from "./erasures";
import { contactParts } from "./export-contacts";
import { UnsubscribeLinks } from "./unsubscribe-links";

declare module "../../auth/permissions" {
  interface Scopes extends Record<keyof typeof contactScopes, string> {}
}

declare module "../events/event-types" {
  interface EventTypes extends Record<keyof typeof contactEventTypes, object> {}
}

interface Needs {
  agents: AgentService;
}

/** Contacts: the people that agents talk to. */
export const contacts = feature({
  entities: [Contact, ContactAddress, ContactTag, ContactTerm, Erasure, Consent],
  services: ({ database, instanceKey, config, log, hooks }: Core & Needs) => {
    const erasures = new Erasures(database, log, hooks);
    const consents = new Consents(instanceKey, hooks);
    return {
      erasures,
      untouchedContacts: new UntouchedContacts(database, erasures, hooks, config),
      consents,
      unsubscribeLinks: new UnsubscribeLinks(instanceKey, config.publicUrl),
      contacts: new ContactService(database, erasures, consents, hooks),
      contactExport: new ContactExport(database, hooks),
    };
  },
  hooks: ({ database }) => ({
    agentPurged: [
      // One step for each index: erased contacts, and all others. Steps run in reverse, so that contacts
      // erased between the two steps are not missed.
      ...[MoreThan(""), IsNull()].map((erasedAt) =>
        purgeRows(
          database,
          Contact,
          [ContactAddress, ContactTag, ContactTerm, Erasure].map((entity) => [entity, "contactId"]),
          { erasedAt },
        ),
      ),
      purgeRows(database, Consent),
    ],
    instanceKeyReplaced: rehashConsents,
    contactErased: eraseEvents(database),
    contactExported: contactParts,
  }),
  retention: CONTACT_RETENTION,
  chores: ({ erasures, untouchedContacts }) => [
    (signal) => erasures.finishAll(signal),
    (signal) => untouchedContacts.erase(signal),
  ],
  stop: ({ erasures }) => erasures.close(),
  resolvers: ({ contacts, contactExport, agents }) => [
    new ContactResolver(contacts, contactExport, agents),
    new AgentTopicsResolver(contacts),
    ...contactLinks.map((Link) => new Link(contacts)),
  ],
  routes: contactRoutes,
  scopes: contactScopes,
  eventTypes: contactEventTypes,
});
