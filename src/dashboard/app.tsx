import { MantineProvider } from "@mantine/core";
import { QueryClientProvider } from "@tanstack/react-query";
import { Router } from "wouter";
import { client } from "./api/client";
import { SecretDialog } from "./api-keys/secret-dialog";
import { Pages } from "./pages";
import { SignedIn } from "./session/session";
import { ErrorBoundary } from "./ui/error-boundary";
import { Toasts } from "./ui/toasts";
import "./styles/index.css";

/** The dashboard. What Mantine would put into style elements stands in files: the policy of the page allows no others. */
export const App = () => (
  <MantineProvider
    defaultColorScheme="auto"
    theme={{ primaryColor: "indigo", respectReducedMotion: true, cursorType: "pointer" }}
    withCssVariables={false}
    withGlobalClasses={false}
  >
    <QueryClientProvider client={client}>
      <Router base="/dashboard">
        <ErrorBoundary>
          <SignedIn>
            <Pages />
          </SignedIn>
        </ErrorBoundary>
      </Router>
      {/* Outside, so that neither a walk to another page nor the end of the session takes a secret away unseen. */}
      <SecretDialog />
      <Toasts />
    </QueryClientProvider>
  </MantineProvider>
);
