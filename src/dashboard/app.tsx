import { MantineProvider } from "@mantine/core";
import { Notifications } from "@mantine/notifications";
import { QueryClientProvider } from "@tanstack/react-query";
import { Router } from "wouter";
import { client } from "./api/client";
import { SecretDialog } from "./api-keys/secret-dialog";
import { Routes } from "./routes";
import { SignedIn } from "./session/session";
import { ErrorBoundary } from "./ui/error-boundary";
import "./styles/index.css";

/** How long a message stays (ms). */
const TOAST_MS = 6_000;

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
      <Router base="/dashboard">
        <ErrorBoundary>
          <SignedIn>
            <Routes />
          </SignedIn>
        </ErrorBoundary>
      </Router>
      {/* Outside of the pages, so that neither navigation nor the end of the session closes it. */}
      <SecretDialog />
      {/* The live region is there before the first message, or screen readers would miss it. */}
      <Notifications role="status" aria-live="polite" limit={3} autoClose={TOAST_MS} />
    </QueryClientProvider>
  </MantineProvider>
);
