import { Redirect, Route, Switch, useLocation, useSearch } from "wouter";
import { MOVED, PAGES } from "./pages";
import { useViewer } from "./session/session";
import { FailedToLoad, NoPage, NotPermitted } from "./shell/no-page";
import { Shell } from "./shell/shell";
import { LoadingPage } from "./ui/page";

/** The page for the current URL, inside the shell. */
export function Routes() {
  const { may } = useViewer();
  const search = useSearch();
  const [location] = useLocation();
  return (
    <Shell>
      <Switch>
        {PAGES.map(({ path, permission, component: Component, title, group }) => (
          <Route key={path} path={path}>
            {may(permission) ? (
              // Remount the page when the URL's path changes, so that it does not keep the previous item's
              // state and data.
              <Component
                key={location}
                fallback={<LoadingPage title={title} section={group} />}
                failed={<FailedToLoad title={title} section={group} />}
              />
            ) : (
              <NotPermitted title={title} section={group} permission={permission} />
            )}
          </Route>
        ))}
        {Object.entries(MOVED).map(([from, to]) => (
          <Route key={from} path={from}>
            <Redirect to={search === "" ? to : `${to}?${search}`} replace />
          </Route>
        ))}
        <Route component={NoPage} />
      </Switch>
    </Shell>
  );
}
