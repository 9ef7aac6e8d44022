import { Button, PasswordInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { memberIn } from "../api/client";
import { ViewerDocument } from "../api/documents.generated";
import { execute } from "../api/execute";
import { FormDialog } from "../ui/form-dialog";
import { usePageTitle } from "../ui/page";
import { Wordmark } from "../ui/wordmark";
import {
  ConfirmSignInDocument,
  type ConfirmSignInMutationVariables,
  StartPasskeySignInDocument,
  WaysToConfirmDocument,
} from "./documents.generated";
import { signWithPasskey } from "./passkey";
import { signOut } from "./session";
import styles from "./sign-in.module.css";
import { useSignInOptions } from "./sign-in-options";

/** The broadcast channel that announces a sign-in to the browser's other tabs. */
const CHANNEL = "gateway-sign-in";

const PATH = "/dashboard/signed-in";

/** Confirms the session with a password or a passkey. */
export const confirmWith = (input: ConfirmSignInMutationVariables["input"]) =>
  execute(ConfirmSignInDocument, { input });

async function confirmWithPasskey(): Promise<void> {
  const { startPasskeySignIn } = await execute(StartPasskeySignInDocument, { input: {} });
  await confirmWith({ passkey: await signWithPasskey(startPasskeySignIn.options as object) });
}

/** Opens a tab for signing in at the issuer, and waits for it. Reloads this page if a different member signs in. */
async function confirmAtIssuer(): Promise<void> {
  const before = memberIn();
  window.open(`/auth/oidc/start?again&returnTo=${PATH}`, "_blank", "noopener");
  const channel = new BroadcastChannel(CHANNEL);
  await new Promise((resolve) => {
    channel.onmessage = resolve;
  });
  channel.close();
  const { viewer } = await execute(ViewerDocument, {});
  if (viewer?.id === before) return;
  location.reload();
  // The waiting request must not be repeated as the other member.
  await new Promise(() => undefined);
}

/**
 * Asks for a passkey, the password or a sign-in at the issuer, depending on how the member can sign in.
 * @param onClosed receives true if the member has confirmed
 */
export function ConfirmSignIn({ onClosed }: { onClosed: (isConfirmed: boolean) => void }) {
  const [isConfirmed, setConfirmed] = useState(false);
  const [prefersIssuer, preferIssuer] = useState(false);
  const { password, issuerName } = useSignInOptions();
  const { data, isError } = useQuery({
    queryKey: [WaysToConfirmDocument.toString()],
    queryFn: ({ signal }) => execute(WaysToConfirmDocument, {}, signal),
    gcTime: 0,
  });
  // Lets the waiting request fail, so its page shows the error.
  useEffect(() => {
    if (isError) onClosed(false);
  }, [isError, onClosed]);
  if (data === undefined) return null;
  const { viewer, passkeys } = data;
  const way = () => {
    if (password && !prefersIssuer && passkeys.length > 0)
      return { submit: "Use a passkey", confirm: confirmWithPasskey };
    if (password && !prefersIssuer && viewer?.hasPassword)
      return {
        submit: "Confirm",
        asksPassword: true,
        confirm: (form: FormData) => confirmWith({ password: String(form.get("password")) }),
      };
    if (hasIssuer) return { submit: `Sign in with ${issuerName}`, confirm: confirmAtIssuer };
    // Nothing to confirm with, for example after signing in with a link from the command line.
    return { submit: "Sign out", confirm: () => signOut() };
  };
  const hasIssuer = viewer?.identity?.isCurrent === true;
  const { submit, confirm, asksPassword } = way();
  const isAtIssuer = confirm === confirmAtIssuer;
  return (
    <FormDialog
      title="Confirm it’s you"
      submit={submit}
      codes={{ invalid_credentials: "password" }}
      onSubmit={async (form) => {
        await confirm(form);
        setConfirmed(true);
      }}
      onClosed={() => onClosed(isConfirmed)}
    >
      {({ field }) => (
        <>
          <p>
            You signed in more than 15 minutes ago.{submit === "Sign out" && " Sign in again to do this."}
          </p>
          {asksPassword && (
            <PasswordInput
              {...field("password")}
              label="Password"
              autoComplete="current-password"
              required
              visibilityToggleButtonProps={{ "aria-label": "Show password" }}
              data-autofocus
            />
          )}
          {hasIssuer && !isAtIssuer && (
            <Button variant="subtle" size="xs" onClick={() => preferIssuer(true)}>
              Sign in with {issuerName} instead
            </Button>
          )}
        </>
      )}
    </FormDialog>
  );
}

/** Shown in the tab opened by `confirmAtIssuer`, because browsers may not let that tab close itself. */
export function SignedInElsewhere() {
  const heading = usePageTitle("Signed in");
  useEffect(() => {
    new BroadcastChannel(CHANNEL).postMessage("signed in");
    window.close();
  }, []);
  return (
    <main className={styles.page}>
      <div className={styles.box}>
        <Wordmark />
        <h1 ref={heading} tabIndex={-1} className={styles.title}>
          You are signed in
        </h1>
        <p className={styles.help}>Close this tab, and continue in the other one.</p>
      </div>
    </main>
  );
}
