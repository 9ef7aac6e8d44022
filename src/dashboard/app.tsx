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

/** Pages that create secrets preload the dialog's code, so that no secret is lost if the network fails. */
const ShownSecret = () => useShownSecret() && <SecretDialog />;

/** Asks the member to confirm their identity if requests are waiting for it. */
const SignInWaitedFor = () => {
  const waiting = useWaiting();
  return waiting && <ConfirmSignIn onClosed={waiting.settle} />;
};

/** Handles every URL change, including filters, so that no pasted secret gets into the history or a request. */
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
      {/* Outside the pages, so that neither navigation nor the end of the session closes it. */}
      <ShownSecret />
      <SignInWaitedFor />
      <Toasts />
    </QueryClientProvider>
  </MantineProvider>
);
