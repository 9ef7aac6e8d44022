import { Switch } from "@mantine/core";
import { useState } from "react";
import { usePolledQuery } from "../api/client";
import { AskForPermission } from "../members/managers";
import { useViewer } from "../session/session";
import { Failure } from "../ui/failure";
import { Time } from "../ui/format";
import { loaded } from "../ui/loaded";
import { Card } from "../ui/page";
import pageStyles from "../ui/page.module.css";
import { Tag } from "../ui/tag";
import styles from "./contacts.module.css";
import {
  type ConsentSource,
  type ConsentState,
  ContactConsentsDocument,
  type ContactConsentsQuery,
} from "./documents.generated";
import type { Change } from "./set-consent";

/** The topic that stands for all messages. */
const ALL = "*";

const { component: SetConsent } = loaded(async () => (await import("./set-consent")).SetConsent);

type Found = NonNullable<ContactConsentsQuery["contact"]>;

const SOURCES: Readonly<Record<ConsentSource, string>> = {
  api: "Set by the API",
  contact: "By the contact",
  import: "Imported",
  member: "Set by your team",
  unsubscribe: "By an unsubscribe link",
};

/** A contact's consents by topic. Members with write permission can change them for all addresses. */
export function ContactConsents({ id, addresses }: { id: string; addresses: number }) {
  const { may, deactivated } = useViewer();
  const { data, error: failure } = usePolledQuery(ContactConsentsDocument, { id }, { pollMs: 15_000 });
  const [changing, setChanging] = useState<Change | null>(null);
  const mayWrite = may("conversations_write");
  const found = data?.contact;
  if (addresses === 0 || (found == null && failure === null)) return null;
  return (
    <Card title="Consents">
      {found == null && <Failure error={failure} />}
      <ul className={styles.list} aria-label="Consents">
        {found != null &&
          topicsOf(found).map(({ name, title, isKnown, ...topic }) => {
            const own = found.consents.filter((consent) => consent.topic === name);
            const [last] = own.toSorted((a, b) => (a.changedAt < b.changedAt ? 1 : -1));
            const states = new Set(own.map(({ state }) => state));
            if (own.length < addresses) states.add(topic.default);
            return (
              <li key={name} className={styles.consent}>
                <div>
                  <bdi>{title}</bdi>
                  {!isKnown && (
                    <div className={pageStyles.second}>No longer a topic of the agent’s policy</div>
                  )}
                  <div className={pageStyles.second}>
                    {states.size > 1 && <Tag tone="warn">Differs by address</Tag>}{" "}
                    {last === undefined ? (
                      "By default"
                    ) : (
                      <>
                        {SOURCES[last.source] ?? last.source}, <Time value={last.changedAt} />
                      </>
                    )}
                    {last?.evidence != null && (
                      <>
                        : <bdi>{last.evidence}</bdi>
                      </>
                    )}
                  </div>
                </div>
                <Switch
                  aria-label={title}
                  checked={!states.has("out")}
                  disabled={deactivated || !isKnown || !mayWrite}
                  onChange={() =>
                    setChanging({
                      topic: name,
                      title,
                      isAll: name === ALL,
                      state: states.has("out") ? "in" : "out",
                    })
                  }
                />
              </li>
            );
          })}
      </ul>
      {!mayWrite && (
        <p className={styles.note}>
          You cannot change consents. <AskForPermission permission="conversations_write" />
        </p>
      )}
      {changing !== null && <SetConsent id={id} {...changing} onClosed={() => setChanging(null)} />}
    </Card>
  );
}

interface ShownTopic {
  name: string;
  title: string;
  default: ConsentState;
  isKnown: boolean;
}

/** Returns "All messages", the agent's topics, and removed topics with stored consents. */
function topicsOf({ agent, consents }: Found): ShownTopic[] {
  const known = (agent?.topics ?? []).map((topic) => ({ ...topic, isKnown: true }));
  const names = new Set([ALL, ...known.map(({ name }) => name)]);
  const others = [...new Set(consents.map(({ topic }) => topic))].filter((name) => !names.has(name));
  return [
    { name: ALL, title: "All messages", default: "in", isKnown: true },
    ...known,
    ...others.map((name): ShownTopic => ({ name, title: name, default: "in", isKnown: false })),
  ];
}
