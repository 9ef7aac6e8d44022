import { AddressKind } from "../contacts/contact-address.entity";
import type { Line } from "./line.entity";

/** Returns the kind of address that a line sends to. */
export function addressKindOf({ webhook, email }: Line): AddressKind {
  if (webhook !== null) return webhook.addressKind;
  return email !== null ? AddressKind.email : AddressKind.local;
}
