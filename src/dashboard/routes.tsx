import { Route, Switch } from "wouter";
import { PAGES } from "./pages";
import { useViewer } from "./session/session";
import { NoPage, NotPermitted } from "./shell/no-page";
import { Shell } from "./shell/shell";

/** The page at the current address, within the shell. */
export function Routes() {
  const { may } = useViewer();
  return (
    <Shell>
      <Switch>
        {PAGES.map(({ path, permission, component: Component, title, group }) => (
          <Route key={path} path={path}>
            {may(permission) ? <Component /> : <NotPermitted title={title} section={group} />}
          </Route>
        ))}
        <Route component={NoPage} />
      </Switch>
    </Shell>
  );
}
