import { MantineProvider } from "@mantine/core";
import { QueryClientProvider } from "@tanstack/react-query";
import { type AroundNavHandler, Route, Router, Switch } from "wouter";
import { client } from "./api/client";
import { useWaiting } from "./api/recent-sign-in";
import { Routes } from "./routes";
import { useShownSecret } from "./secrets/shown-secret";
import { SignedIn } from "./session/session";
import { ErrorBoundary } from "./ui/error-boundary";
import { FailedPage } from "./ui/failure";
import { loaded } from "./ui/loaded";
import { LoadingShell } from "./ui/loading-shell";
import { withoutSecrets } from "./ui/secrets";
import { Toasts } from "./ui/toast";
import "./styles/index.css";

const { component: AcceptInvitation } = loaded(
  async () => (await import("./session/accept-invitation")).AcceptInvitation,
);

const { component: SignedInElsewhere } = loaded(
  async () => (await import("./session/confirm-sign-in")).SignedInElsewhere,
);

const { component: ConfirmSignIn } = loaded(
  async () => (await import("./session/confirm-sign-in")).ConfirmSignIn,
);

const { component: SecretDialog } = loaded(
  async () => (await import("./secrets/secret-dialog")).SecretDialog,
);

/** The dialog for a new secret. Pages that create secrets preload it, so that none is lost if the network fails. */
const ShownSecret = () => useShownSecret() && <SecretDialog />;

/** Asks the member to confirm their identity while requests are waiting for the confirmation. */
const SignInWaitedFor = () => {
  const waiting = useWaiting();
  return waiting && <ConfirmSignIn onClosed={waiting.settle} />;
};

/** Removes pasted secrets from every new URL, so that none ends up in the browser history or a request. */
const goTo: AroundNavHandler = (navigate, to, options) => navigate(withoutSecrets(to), options);

/**
 * The dashboard. Mantine's variables and global classes come from CSS files, because the Content-Security-Policy allows
 * no style elements.
 */
export const App = () => (
  <MantineProvider
    defaultColorScheme="auto"
    theme={{ primaryColor: "indigo", respectReducedMotion: true, cursorType: "pointer" }}
    withCssVariables={false}
    withGlobalClasses={false}
  >
    <QueryClientProvider client={client}>
      <Router base="/dashboard" aroundNav={goTo}>
        <ErrorBoundary>
          <Switch>
            <Route path="/invitation">
              <AcceptInvitation
                fallback={<LoadingShell />}
                failed={<FailedPage error={undefined} retry={() => location.reload()} />}
              />
            </Route>
            <Route path="/signed-in">
              <SignedInElsewhere />
            </Route>
            <Route>
              <SignedIn>
                <Routes />
              </SignedIn>
            </Route>
          </Switch>
        </ErrorBoundary>
      </Router>
      {/* Rendered outside the pages, so that neither navigation nor the end of the session closes the dialog. */}
      <ShownSecret />
      <SignInWaitedFor />
      <Toasts />
    </QueryClientProvider>
  </MantineProvider>
);
