import { feature } from "../../schema/feature";
import { purgeRows } from "../agents/agent-purge";
import { eraseEvents } from "../events/erase-events";
import { Contact } from "./contact.entity";
import { contactEventTypes } from "./contact.event-types";
import { ContactResolver } from "./contact.resolver";
import { contactRoutes } from "./contact.routes";
import { contactScopes } from "./contact.scopes";
import { ContactService } from "./contact.service";
import { ContactAddress } from "./contact-address.entity";
import { ContactTag } from "./contact-tag.entity";
import { ContactTerm } from "./contact-term.entity";
import { Erasure } from "./erasure.entity";
import { Erasures } from "./erasures";

declare module "../../auth/permissions" {
  interface Scopes extends Record<keyof typeof contactScopes, string> {}
}

declare module "../events/event-types" {
  interface EventTypes extends Record<keyof typeof contactEventTypes, object> {}
}

/** The people that agents talk to. */
export const contacts = feature({
  entities: [Contact, ContactAddress, ContactTag, ContactTerm, Erasure],
  services: ({ database, log, hooks }) => {
    const erasures = new Erasures(database, log, hooks);
    return { erasures, contacts: new ContactService(database, erasures) };
  },
  hooks: ({ database }) => ({
    agentPurged: purgeRows(
      database,
      Contact,
      [ContactAddress, ContactTag, ContactTerm, Erasure].map((entity) => [entity, "contactId"]),
    ),
    contactErased: eraseEvents(database),
  }),
  chores: ({ erasures }) => [(signal) => erasures.finishAll(signal)],
  stop: ({ erasures }) => erasures.close(),
  resolvers: (services) => [new ContactResolver(services.contacts)],
  routes: contactRoutes,
  scopes: contactScopes,
  eventTypes: contactEventTypes,
  batches: ["addresses", "tags"],
});
