import { feature } from "../../schema/feature";
import { Contact } from "./contact.entity";
import { ContactResolver } from "./contact.resolver";
import { contactRoutes } from "./contact.routes";
import { ContactService } from "./contact.service";
import { ContactAddress } from "./contact-address.entity";
import { ContactTag } from "./contact-tag.entity";
import { ContactTerm } from "./contact-term.entity";

/** The people that agents talk to. */
export const contacts = feature({
  entities: [Contact, ContactAddress, ContactTag, ContactTerm],
  services: ({ database }) => ({ contacts: new ContactService(database) }),
  resolvers: (services) => [new ContactResolver(services.contacts)],
  routes: contactRoutes,
  batches: ["addresses", "tags"],
});
