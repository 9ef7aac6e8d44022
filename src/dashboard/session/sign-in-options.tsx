import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { loadedOnce } from "../api/client";
import { execute } from "../api/execute";
import { SignInOptionsDocument } from "./documents.generated";

/** Interval between attempts until the server responds (ms). */
const RETRY_MS = 2_000;

/** Returns the available sign-in methods; password only until the server responds. */
export function useSignInOptions() {
  const { data } = useQuery({
    queryKey: [SignInOptionsDocument.toString()],
    queryFn: ({ signal }) => execute(SignInOptionsDocument, {}, signal),
    staleTime: loadedOnce,
    // Without the options, a member may have no way to sign in.
    refetchInterval: ({ state }) => state.data === undefined && RETRY_MS,
  });
  return data?.signInOptions ?? { password: true, issuerName: null };
}

/** A link to the OpenID Connect issuer; after sign-in, the issuer redirects back to a dashboard page. */
export const IssuerButton = ({ name, returnTo }: { name: string; returnTo: string }) => (
  <Button
    component="a"
    variant="default"
    fullWidth
    href={`/auth/oidc/start?returnTo=${encodeURIComponent(returnTo)}`}
  >
    Sign in with {name}
  </Button>
);
