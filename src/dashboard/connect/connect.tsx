import { Button, Checkbox, NativeSelect } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { Link, useParams } from "wouter";
import { CONNECTION_DAYS } from "../../features/oauth/connection.limits";
import { change, loadedOnce } from "../api/client";
import { execute } from "../api/execute";
import { allowedBy, spelled } from "../api-keys/scopes";
import { labelOf } from "../parts/agent-label";
import { useViewer } from "../session/session";
import { Facts } from "../ui/facts";
import { Failure } from "../ui/failure";
import { Card, LoadingPage, Page } from "../ui/page";
import { useTask } from "../ui/task";
import styles from "./connect.module.css";
import {
  ConnectApplicationDocument,
  ConnectionRequestDocument,
  type ConnectionRequestQuery,
} from "./documents.generated";

const TITLE = "Connect an application";

/** Returns the lifetimes to choose from, in days. */
const lifetimesUpTo = (max: number) =>
  [...new Set([1, 7, CONNECTION_DAYS, 90, 366].map((days) => Math.min(days, max)))].map((days) => ({
    value: String(days),
    label: days === 1 ? "1 day" : `${days} days`,
  }));

/** The page where a member lets an application act as an agent. */
export function Connect() {
  const { id = "" } = useParams<{ id: string }>();
  const { data, error, refetch } = useQuery({
    queryKey: [ConnectionRequestDocument.toString(), id],
    queryFn: ({ signal }) => execute(ConnectionRequestDocument, { id }, signal),
    // The form must not change while the member reads it, and must not stay in memory.
    staleTime: loadedOnce,
    gcTime: 0,
  });
  if (data === undefined) {
    if (error === null) return <LoadingPage title={TITLE} />;
    return (
      <Page title={TITLE}>
        <Failure error={error} retry={refetch} />
      </Page>
    );
  }
  const { connectionRequest: request, agents } = data;
  if (request === null) {
    return (
      <Page title={TITLE}>
        <p>This request has expired or was already answered. Start again in the application.</p>
      </Page>
    );
  }
  return <Consent id={id} request={request} agents={agents} />;
}

function Consent(props: {
  id: string;
  request: NonNullable<ConnectionRequestQuery["connectionRequest"]>;
  agents: ConnectionRequestQuery["agents"];
}) {
  const { id, request, agents } = props;
  const { deactivated } = useViewer();
  const [scopes, setScopes] = useState(request.scopes);
  const [leaving, setLeaving] = useState(false);
  const { busy, error, run } = useTask();
  const leaveTo = (url: string) => {
    setLeaving(true);
    window.location.assign(url);
  };
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const input = {
      requestId: id,
      agentId: String(form.get("agent")),
      expiresInDays: Number(form.get("days")),
      scopes,
    };
    return run(async () => {
      const { connectApplication } = await change(
        ConnectApplicationDocument,
        { input },
        { waitUntilShown: false },
      );
      leaveTo(connectApplication.redirectUrl);
    });
  };

  // A URL with a custom scheme opens a native app and does not navigate away from this page.
  if (leaving) {
    return (
      <Page title={TITLE}>
        <p role="status">Continue in the application. You can close this page.</p>
      </Page>
    );
  }
  return (
    <Page title={`Connect ${request.name}?`} summary="It will be able to act as the agent that you choose.">
      <Card title="Application">
        <Facts
          facts={{
            "Stated name": request.name,
            "Vouched for by": request.host ?? "No one. The application registered itself.",
            "Redirects to": hostIn(request.redirectUri),
          }}
        />
      </Card>
      <Card title="Access">
        <div className={styles.body}>
          {agents.length === 0 ? (
            <p>
              You need an agent before you can connect an application.{" "}
              <Link href="/agents">Create an agent</Link>
            </p>
          ) : (
            <form onSubmit={submit} className={styles.form}>
              <NativeSelect
                name="agent"
                label="Agent"
                description="The application acts as this agent."
                data={agents.map((agent) => ({ value: agent.id, label: labelOf(agent, agents) }))}
              />
              <Checkbox.Group label="What it may do" value={scopes} onChange={setScopes}>
                <div className={styles.scopes}>
                  {request.scopes.map((scope) => (
                    <Checkbox
                      key={scope}
                      value={scope}
                      label={allowedBy(scope)}
                      description={spelled(scope)}
                    />
                  ))}
                </div>
              </Checkbox.Group>
              <NativeSelect
                name="days"
                label="Ends after"
                description="You can end the connection at any time under API keys."
                defaultValue={String(Math.min(CONNECTION_DAYS, request.maxDays))}
                data={lifetimesUpTo(request.maxDays)}
              />
              {error !== undefined && <Failure error={error} />}
              <div className={styles.buttons}>
                <Button variant="default" disabled={busy} onClick={() => leaveTo(request.rejectUrl)}>
                  Reject
                </Button>
                <Button type="submit" loading={busy} disabled={deactivated || scopes.length === 0}>
                  Connect
                </Button>
              </div>
            </form>
          )}
        </div>
      </Card>
    </Page>
  );
}

/** Returns the host of a URL, or its scheme if it opens an application on the member's device. */
function hostIn(uri: string): string {
  const { protocol, host } = new URL(uri);
  if (!/^https?:$/.test(protocol)) return `an application on this device (${protocol}//)`;
  return /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/.test(host) ? `a program on this device (${host})` : host;
}
