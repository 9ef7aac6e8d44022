import { createContext, type ReactNode, useContext, useEffect, useState } from "react";
import { isSessionError } from "../api/api-error";
import { refetchEverywhere, resetViewer, usePolledQuery } from "../api/client";
import { type Permission, ViewerDocument, type ViewerQuery } from "../api/documents.generated";
import { execute } from "../api/execute";
import { FailedPage } from "../ui/failure";
import { loaded } from "../ui/loaded";
import { LoadingShell } from "../ui/loading-shell";
import { SignOutDocument, SignOutEverywhereDocument } from "./documents.generated";

const { component: SignIn } = loaded(async () => (await import("./sign-in")).SignIn);

const ViewerContext = createContext<NonNullable<ViewerQuery["viewer"]> | undefined>(undefined);

/** Returns the signed-in member, for components inside `SignedIn`. */
export function useViewer() {
  const viewer = useContext(ViewerContext);
  if (viewer === undefined) throw new Error("useViewer must be called inside SignedIn.");
  return {
    ...viewer,
    /** True if the member has a permission, or none is needed. */
    may: (permission?: Permission) => permission === undefined || viewer.permissions.includes(permission),
    manages: viewer.permissions.includes("config_manage"),
    deactivated: viewer.organization.deactivatedAt !== null,
  };
}

/** Polling interval (ms); long because each page's own queries detect the end of the session sooner. */
const VIEWER_INTERVAL_MS = 20_000;

/** E-mail address of the last member, so that members need not retype it after their session has ended. */
let lastEmail = "";

/**
 * Shows its children to signed-in members and the sign-in page to others. The URL does not change, so members
 * return to the requested page after signing in.
 */
export function SignedIn({ children }: { children: ReactNode }) {
  const { data, error, refetch } = usePolledQuery(ViewerDocument, {}, { pollMs: VIEWER_INTERVAL_MS });
  const [ended, setEnded] = useState(false);
  const viewer = data?.viewer;
  // The server reports the end of a session only once, so an open page must remember it.
  const endedNow = isSessionError(error) || (viewer === null && lastEmail !== "");

  useEffect(() => {
    if (endedNow) setEnded(true);
    else if (viewer != null) setEnded(false);
  }, [endedNow, viewer]);
  useEffect(() => {
    if (viewer != null) lastEmail = viewer.email;
  }, [viewer]);

  if (endedNow || viewer === null) {
    return (
      <SignIn
        ended={ended || endedNow}
        email={lastEmail}
        fallback={<LoadingShell />}
        failed={<FailedPage error={undefined} retry={() => location.reload()} />}
      />
    );
  }
  if (viewer !== undefined) {
    // If a different member signs in, remount the page, so that it does not keep the previous member's state.
    return (
      <ViewerContext key={viewer.id} value={viewer}>
        {children}
      </ViewerContext>
    );
  }
  return error === null ? <LoadingShell /> : <FailedPage error={error} retry={refetch} />;
}

/** Ends the session, or all of the member's sessions, and clears all loaded data. */
export async function signOut({ everywhere = false } = {}): Promise<void> {
  await (everywhere ? execute(SignOutEverywhereDocument, {}) : execute(SignOutDocument, {})).catch(
    (error) => {
      if (!isSessionError(error)) throw error;
    },
  );
  lastEmail = "";
  await resetViewer();
  await refetchEverywhere();
}
