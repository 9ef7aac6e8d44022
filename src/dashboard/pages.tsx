import { Route, Switch } from "wouter";
import { ApiKeys } from "./api-keys/api-keys";
import { AuditLog } from "./audit-log/audit-log";
import { Organization } from "./organization/organization";
import { Overview } from "./overview/overview";
import { useViewer } from "./session/session";
import { NoPage, NotPermitted } from "./shell/no-page";
import { Shell } from "./shell/shell";

/** The pages by their addresses. */
export function Pages() {
  const { manages } = useViewer();
  return (
    <Shell>
      <Switch>
        <Route path="/" component={Overview} />
        <Route path="/settings/api-keys">
          {manages ? <ApiKeys /> : <NotPermitted title="API keys" what="see and change API keys" />}
        </Route>
        <Route path="/audit-log">
          {manages ? <AuditLog /> : <NotPermitted title="Audit log" what="read the audit log" />}
        </Route>
        <Route path="/organization" component={Organization} />
        <Route component={NoPage} />
      </Switch>
    </Shell>
  );
}
