import { Button } from "@mantine/core";
import { change } from "../api/client";
import { useViewer } from "../session/session";
import { Failure } from "../ui/failure";
import { Time } from "../ui/format";
import { Tag } from "../ui/tag";
import { useTask } from "../ui/task";
import { toast } from "../ui/toast";
import styles from "./contacts.module.css";
import {
  type AddressKind,
  type ContactLabelFragment,
  MarkAddressDeliverableDocument,
} from "./documents.generated";

const KINDS: Readonly<Record<AddressKind, string>> = {
  email: "E-mail",
  local: "On this server",
  other: "Other",
  phone: "Phone",
};

/**
 * A contact's addresses, with a tag on each address that cannot receive messages. Members with write
 * permission can mark an address as deliverable again.
 */
export function ContactAddresses({ id: contact, addresses }: Pick<ContactLabelFragment, "id" | "addresses">) {
  const { may, deactivated } = useViewer();
  const { busy, error, run } = useTask();
  const tryAgain = (addressId: string) =>
    run(async () => {
      await change(MarkAddressDeliverableDocument, { id: contact, addressId });
      toast("Messages are sent to the address again.");
    });
  return (
    <>
      {error !== undefined && <Failure error={error} />}
      <ul className={styles.list} aria-label="Addresses">
        {addresses.length === 0 && <li>No addresses, so nothing can be sent.</li>}
        {addresses.map(({ id, kind, address, optedOutAt, undeliverableAt }) => (
          <li key={id} className={styles.address}>
            <bdi>{address}</bdi>
            <span>
              {optedOutAt !== null ? (
                <>
                  <Tag tone="warn">Opted out</Tag> <Time value={optedOutAt} />
                </>
              ) : undeliverableAt !== null ? (
                <>
                  <Tag tone="bad">Doesn’t exist</Tag> <Time value={undeliverableAt} />
                </>
              ) : (
                <Tag tone="plain">{KINDS[kind] ?? kind}</Tag>
              )}
            </span>
            {undeliverableAt !== null && may("conversations_write") && (
              <Button
                size="compact-sm"
                variant="default"
                disabled={busy || deactivated}
                aria-label={`Send to ${address} again`}
                onClick={() => void tryAgain(id)}
              >
                Send again
              </Button>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}
