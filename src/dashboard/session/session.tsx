import { createContext, type ReactNode, useContext, useEffect, useState } from "react";
import { ApiError, isSessionError } from "../api/api-error";
import { client, refetchEverywhere, usePolledQuery } from "../api/client";
import {
  type Permission,
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

/** The signed-in member. For components inside `SignedIn`. */
export function useViewer() {
  const viewer = useContext(ViewerContext);
  if (viewer === undefined) throw new Error("useViewer needs SignedIn around it.");
  return {
    ...viewer,
    /** Whether the member has a permission; true where none is needed. */
    may: (permission?: Permission) => permission === undefined || viewer.permissions.includes(permission),
    manages: viewer.permissions.includes("config_manage"),
    deactivated: viewer.organization.deactivatedAt !== null,
  };
}

/** Shows its children to signed-in members and the sign-in page to others. The URL stays, so signing in leads back. */
export function SignedIn({ children }: { children: ReactNode }) {
  const { data, error, refetch } = usePolledQuery(ViewerDocument, {});
  const [ended, setEnded] = useState(false);
  const signedOut = isSessionError(error);
  // The server reports the end of a session once. A page that was already open must remember it.
  const endedNow = signedOut && (data !== undefined || (error as ApiError).code === "invalid_session");

  useEffect(() => {
    if (endedNow) setEnded(true);
    else if (!signedOut) setEnded(false);
  }, [endedNow, signedOut]);

  if (signedOut) return <SignIn ended={ended || endedNow} />;
  if (data !== undefined) return <ViewerContext value={data.viewer}>{children}</ViewerContext>;
  return error === null ? <LoadingShell /> : <FailedPage error={error} retry={refetch} />;
}

/** Ends the session, or all sessions of the member, and clears everything that was loaded. */
export async function signOut({ everywhere = false } = {}): Promise<void> {
  await (everywhere ? execute(SignOutEverywhereDocument, {}) : execute(SignOutDocument, {})).catch(
    (error) => {
      if (!isSessionError(error)) throw error;
    },
  );
  await clearAnswers();
  await refetchEverywhere();
}

/** Clears what was loaded for the last member. */
async function clearAnswers(): Promise<void> {
  await client.resetQueries({ queryKey: [ViewerDocument.toString()] });
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== ViewerDocument.toString() });
}
