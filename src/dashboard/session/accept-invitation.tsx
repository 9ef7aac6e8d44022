import { Alert, Button, PasswordInput, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { Link, useLocation } from "wouter";
import { loadedOnce, refetchEverywhere, resetViewer } from "../api/client";
import { ViewerDocument } from "../api/documents.generated";
import { execute } from "../api/execute";
import { Failure } from "../ui/failure";
import { usePageTitle } from "../ui/page";
import { useTask } from "../ui/task";
import { Wordmark } from "../ui/wordmark";
import { AcceptInvitationDocument, InvitationDocument } from "./documents.generated";
import { signOut } from "./session";
import styles from "./sign-in.module.css";
import { useSignInOptions } from "./sign-in-options";

/** Shown to invited people, signed in or not: they choose a password or sign in at the issuer. */
export function AcceptInvitation() {
  const heading = usePageTitle("Accept invitation");
  const token = useFragment();
  const { data, error } = useQuery({
    queryKey: [InvitationDocument.toString(), token],
    queryFn: ({ signal }) => execute(InvitationDocument, { token }, signal),
    staleTime: loadedOnce,
    // The token must not stay in memory after the user leaves the page.
    gcTime: 0,
  });
  const invitation = data?.invitation;
  const { password, issuerName } = useSignInOptions();

  return (
    <main className={styles.page}>
      <div className={styles.box}>
        <Wordmark />
        <h1 ref={heading} tabIndex={-1} className={styles.title}>
          {invitation === undefined ? "Accept invitation" : `Join ${invitation.organization.name}`}
        </h1>
        {error !== null && <Failure error={error} />}
        {invitation !== undefined && (
          <>
            <p className={styles.help}>
              {invitation.invitedBy === "command line" ? "An administrator" : invitation.invitedBy} invited
              you. {password && "Choose a password of 12 or more characters."}
            </p>
            <SignedInAs />
            {issuerName !== null && (
              <p className={styles.help}>
                {password && "Or "}
                <a href={`/auth/oidc/start?invitation=${invitation.id}`}>sign in with {issuerName}</a> as{" "}
                {invitation.email} to accept the invitation.
              </p>
            )}
            {password && <PasswordForm key={token} token={token} email={invitation.email} />}
          </>
        )}
        <p className={styles.help}>
          Already a member? <Link href="/">Sign in</Link>
        </p>
      </div>
    </main>
  );
}

/** Shows that another member is signed in here, and that accepting the invitation would replace that session. */
function SignedInAs() {
  const { data, refetch } = useQuery({
    queryKey: [ViewerDocument.toString(), "invitation"],
    queryFn: ({ signal }) => execute(ViewerDocument, {}, signal),
    gcTime: 0,
  });
  const { busy, error, run } = useTask();
  const viewer = data?.viewer;
  if (viewer == null) return null;
  const leave = async () => {
    await signOut();
    await refetch();
  };
  return (
    <Alert color="yellow" role="note" mt="md">
      <p className={styles.signedIn}>
        You are signed in as <strong>{viewer.email}</strong>. Joining signs you out.
      </p>
      {error !== undefined && <Failure error={error} />}
      <Button size="xs" variant="default" mt="sm" loading={busy} onClick={() => run(leave)}>
        Sign out first
      </Button>
    </Alert>
  );
}

function PasswordForm({ token, email }: { token: string; email: string }) {
  const [, navigate] = useLocation();
  const password = useRef<HTMLInputElement>(null);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    setBusy(true);
    setError(undefined);
    try {
      const name = String(form.get("name")).trim() || null;
      const input = { token, password: String(form.get("password")), name };
      await execute(AcceptInvitationDocument, { input });
      // Discards the data of a member who was signed in before.
      void resetViewer();
      // Replaces the URL, because it contains the token.
      navigate("/", { replace: true });
      void refetchEverywhere();
    } catch (failure) {
      setError(failure);
      setBusy(false);
      password.current?.select();
    }
  };

  return (
    <form onSubmit={submit} className={styles.form}>
      {error !== undefined && <Failure error={error} />}
      <div>
        <p className={styles.label}>E-mail</p>
        <p className={styles.email}>{email}</p>
        {/* Tells password managers which account the password belongs to. */}
        <input type="hidden" autoComplete="username" value={email} />
      </div>
      <PasswordInput
        ref={password}
        name="password"
        label="Password"
        autoComplete="new-password"
        minLength={12}
        maxLength={200}
        required
        withAsterisk={false}
        autoFocus
        visibilityToggleButtonProps={{ "aria-label": "Show password" }}
      />
      <TextInput name="name" label="Your name (optional)" autoComplete="name" maxLength={100} />
      <Button type="submit" loading={busy}>
        Join
      </Button>
    </form>
  );
}

/** Returns the URL fragment, updated when another link is opened in the same tab. */
function useFragment(): string {
  const [fragment, setFragment] = useState(() => location.hash.slice(1));
  useEffect(() => {
    const changed = () => setFragment(location.hash.slice(1));
    window.addEventListener("hashchange", changed);
    // The value may have changed since the first rendering.
    changed();
    return () => window.removeEventListener("hashchange", changed);
  }, []);
  return fragment;
}
