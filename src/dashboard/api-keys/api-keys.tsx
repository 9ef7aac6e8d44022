import { Button } from "@mantine/core";
import { useState } from "react";
import { useAnswer } from "../api/client";
import { AgentsDocument, ApiKeysDocument, type KeyFragment } from "../api/documents.generated";
import { useViewer } from "../session/session";
import { Failure } from "../ui/failure";
import { Icon } from "../ui/icon";
import { type ListAddress, useListAddress } from "../ui/list-address";
import { Empty, Page } from "../ui/page";
import pageStyles from "../ui/page.module.css";
import { Pager } from "../ui/pager";
import { CreateKey } from "./create-key";
import { KeyFilters, keyFilterOf } from "./key-filters";
import { type KeyAction, KeyTable } from "./key-table";
import { RenameKey } from "./rename-key";
import { RevokeKey } from "./revoke-key";
import { RotateKey } from "./rotate-key";

const PAGE_SIZE = 20;
const DIALOGS: Record<KeyAction, typeof RevokeKey> = {
  rename: RenameKey,
  rotate: RotateKey,
  revoke: RevokeKey,
};

/** Settings → API keys: finds keys, mints them, and ends them. */
export function ApiKeys() {
  const { deactivated } = useViewer();
  const address = useListAddress();
  const [task, setTask] = useState<{ action: KeyAction; key: KeyFragment }>();
  const Dialog = task && DIALOGS[task.action];
  const agents = useAnswer(AgentsDocument, {}).data?.agents;
  const create = () => address.filter({ create: "yes" });

  return (
    <Page
      section="Settings"
      title="API keys"
      lead="A key lets a system call as one agent. Its secret is shown once, when it is made."
      actions={
        <Button leftSection={<Icon name="plus" size={16} />} disabled={deactivated} onClick={create}>
          Create API key
        </Button>
      }
    >
      <div className={pageStyles.card}>
        <KeyFilters address={address} agents={agents} />
        <KeyList address={address} onAction={(action, key) => setTask({ action, key })} onCreate={create} />
      </div>
      {address.get("create") !== "" && !deactivated && agents !== undefined && (
        <CreateKey agents={agents} onClosed={() => address.filter({ create: "" }, { replace: true })} />
      )}
      {task && Dialog && <Dialog apiKey={task.key} onClosed={() => setTask(undefined)} />}
    </Page>
  );
}

function KeyList(props: {
  address: ListAddress;
  onAction: (action: KeyAction, key: KeyFragment) => void;
  onCreate: () => void;
}) {
  const { address } = props;
  const { deactivated } = useViewer();
  const filter = keyFilterOf(address);
  const { data, error, refetch, isPlaceholderData } = useAnswer(ApiKeysDocument, {
    first: PAGE_SIZE,
    after: address.after,
    ...filter,
  });

  if (error !== null && (data === undefined || isPlaceholderData)) {
    return <Failure error={error} retry={refetch} />;
  }
  if (data?.apiKeys.nodes.length === 0) {
    if (filter.search || filter.agentId || filter.state || address.after) {
      return (
        <Empty title="No API key matches">
          <Button
            variant="default"
            size="xs"
            onClick={() => address.filter({ search: "", agent: "", state: "" })}
          >
            Show all keys
          </Button>
        </Empty>
      );
    }
    return (
      <Empty title="No API keys yet">
        <p>Make one for each place that calls, so that each can be replaced or revoked on its own.</p>
        <Button size="xs" disabled={deactivated} onClick={props.onCreate}>
          Create the first API key
        </Button>
      </Empty>
    );
  }
  return (
    <>
      <KeyTable keys={data?.apiKeys.nodes} stale={isPlaceholderData} onAction={props.onAction} />
      <Pager address={address} pageInfo={data?.apiKeys.pageInfo} />
    </>
  );
}
