import { createContext, type ReactNode, useContext, useEffect, useState } from "react";
import { ApiError, isSessionError } from "../api/api-error";
import { announceChange, client, useAnswer } from "../api/client";
import {
  SignOutDocument,
  SignOutEverywhereDocument,
  ViewerDocument,
  type ViewerFragment,
} from "../api/documents.generated";
import { execute } from "../api/execute";
import { LoadingShell } from "../shell/loading-shell";
import { FailedPage } from "../ui/failure";
import { SignIn } from "./sign-in";

const ViewerContext = createContext<ViewerFragment | undefined>(undefined);

/** The member who is signed in; for what stands inside `SignedIn`. */
export function useViewer() {
  const viewer = useContext(ViewerContext);
  if (viewer === undefined) throw new Error("Nobody is signed in here.");
  return {
    ...viewer,
    manages: viewer.permissions.includes("config_manage"),
    deactivated: viewer.organization.deactivatedAt !== null,
  };
}

/**
 * Shows its children to whoever is signed in, and the sign-in page in their place to others: the address stays, so
 * that signing in leads back to it.
 */
export function SignedIn({ children }: { children: ReactNode }) {
  const { data, error, refetch } = useAnswer(ViewerDocument, {});
  const [ended, setEnded] = useState(false);
  const signedOut = isSessionError(error);
  // Only the first to ask learns that the session ended; whoever saw a page before knows it too.
  const endedNow = signedOut && (data !== undefined || (error as ApiError).code === "invalid_session");

  useEffect(() => {
    if (endedNow) setEnded(true);
    else if (!signedOut) setEnded(false);
  }, [endedNow, signedOut]);

  if (signedOut) return <SignIn ended={ended || endedNow} />;
  if (data !== undefined) return <ViewerContext value={data.viewer}>{children}</ViewerContext>;
  return error === null ? <LoadingShell /> : <FailedPage error={error} retry={refetch} />;
}

/** Ends the session, or all sessions of the member, and forgets everything that was shown. */
export async function signOut({ everywhere = false } = {}): Promise<void> {
  await (everywhere ? execute(SignOutEverywhereDocument, {}) : execute(SignOutDocument, {})).catch(
    (error) => {
      if (!isSessionError(error)) throw error;
    },
  );
  await forget();
  await announceChange();
}

/** Forgets what was shown to the last member. */
async function forget(): Promise<void> {
  await client.resetQueries({ queryKey: [ViewerDocument.toString()] });
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== ViewerDocument.toString() });
}
