import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { execute } from "../api/execute";
import { SignInOptionsDocument } from "./documents.generated";

/** How members can sign in; a password as long as this is not known. */
export function useSignInOptions() {
  const { data } = useQuery({
    queryKey: [SignInOptionsDocument.toString()],
    queryFn: ({ signal }) => execute(SignInOptionsDocument, {}, signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return data?.signInOptions ?? { password: true, issuerName: null };
}

/** A link to the OpenID Connect issuer, which leads back to a page of the dashboard. */
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
