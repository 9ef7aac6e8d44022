import { type Core, feature } from "../../schema/feature";
import { type AgentPurge, purgeRows } from "../agents/agent-purge";
import { eraseEvents } from "../events/erase-events";
import { Contact } from "./contact.entity";
import { ContactResolver } from "./contact.resolver";
import { contactRoutes } from "./contact.routes";
import { ContactService } from "./contact.service";
import { ContactAddress } from "./contact-address.entity";
import { ContactTag } from "./contact-tag.entity";
import { ContactTerm } from "./contact-term.entity";
import { Erasure } from "./erasure.entity";
import { Erasures } from "./erasures";

/** The people that agents talk to. */
export const contacts = feature({
  entities: [Contact, ContactAddress, ContactTag, ContactTerm, Erasure],
  services: ({ database, log, agentPurge }: Core & { agentPurge: AgentPurge }) => {
    const erasures = new Erasures(database, log);
    agentPurge.onPurge(
      purgeRows(
        database,
        Contact,
        [ContactAddress, ContactTag, ContactTerm, Erasure].map((entity) => [entity, "contactId"]),
      ),
    );
    erasures.onErase(eraseEvents(database));
    return { erasures, contacts: new ContactService(database, erasures) };
  },
  resolvers: (services) => [new ContactResolver(services.contacts)],
  routes: contactRoutes,
  batches: ["addresses", "tags"],
});
