import { Button } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useState } from "react";
import { usePolledQuery } from "../api/client";
import { AgentsDocument, ApiKeysDocument, type KeyFragment } from "../api/documents.generated";
import { useViewer } from "../session/session";
import { Failure } from "../ui/failure";
import { Icon } from "../ui/icon";
import { type ListAddress, useCursorFallback, useListAddress } from "../ui/list-address";
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

/** Settings → API keys: find, create, rename, rotate and revoke keys. */
export function ApiKeys() {
  const { deactivated } = useViewer();
  const address = useListAddress();
  const [task, setTask] = useState<{ action: KeyAction; key: KeyFragment }>();
  const Dialog = task && DIALOGS[task.action];
  const agents = usePolledQuery(AgentsDocument, {}).data?.agents;
  const create = () => address.filter({ create: "yes" });

  return (
    <Page
      section="Settings"
      title="API keys"
      lead="API keys authenticate requests as an agent. You’ll see a key’s secret only once, when you create it."
      actions={
        <Button leftSection={<Icon of={IconPlus} size={16} />} disabled={deactivated} onClick={create}>
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
  const { data, error, refetch, isPlaceholderData } = usePolledQuery(ApiKeysDocument, {
    first: PAGE_SIZE,
    after: address.after,
    ...filter,
  });
  useCursorFallback(address, error);

  if (error !== null && (data === undefined || isPlaceholderData)) {
    return <Failure error={error} retry={refetch} />;
  }
  if (data?.apiKeys.nodes.length === 0) {
    if (filter.search || filter.agentId || filter.state || address.after) {
      return (
        <Empty title="No matching API keys">
          <Button
            variant="default"
            size="xs"
            onClick={() => address.filter({ search: "", agent: "", state: "" })}
          >
            Clear filters
          </Button>
        </Empty>
      );
    }
    return (
      <Empty title="No API keys yet">
        <p>Create one key per app or service so you can rotate or revoke each independently.</p>
        <Button size="xs" disabled={deactivated} onClick={props.onCreate}>
          Create your first API key
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
