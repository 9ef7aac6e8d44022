import { isUuid } from "../../common/uuid";
import { ConnectionOf } from "../../pagination/connection";
import { Contact } from "./contact.entity";

export const ContactConnection = ConnectionOf(Contact, "contact", isUuid);
export type ContactConnection = InstanceType<typeof ContactConnection>;
