import { Button, PasswordInput, TextInput } from "@mantine/core";
import { IconFingerprint, IconLock } from "@tabler/icons-react";
import { type FormEvent, useEffect, useEffectEvent, useRef, useState } from "react";
import { ApiError } from "../api/api-error";
import { change, isSignedOut } from "../api/client";
import { execute } from "../api/execute";
import { Failure } from "../ui/failure";
import { Icon } from "../ui/icon";
import { usePageTitle } from "../ui/page";
import { Wordmark } from "../ui/wordmark";
import {
  SignInDocument,
  SignInWithPasskeyDocument,
  StartPasskeySignInDocument,
  type StartPasskeySignInMutationVariables,
} from "./documents.generated";
import { offersPasskeys, signWithPasskey, withdrawPasskeys } from "./passkey";
import styles from "./sign-in.module.css";
import { IssuerButton, useSignInOptions } from "./sign-in-options";

type Credentials = StartPasskeySignInMutationVariables["input"]["credentials"];

/** Signs in with a passkey. If credentials are given, only the passkeys of that member are accepted. */
async function signInWithPasskey(credentials?: Credentials): Promise<void> {
  const { startPasskeySignIn } = await execute(StartPasskeySignInDocument, { input: { credentials } });
  const input = await signWithPasskey(startPasskeySignIn.options as object);
  await change(SignInWithPasskeyDocument, { input });
}

/** Shown if the server accepts a sign-in, but the browser sends no session afterwards. */
const NOT_KEPT = "This browser did not keep the session. Allow cookies, or open the HTTPS address.";

/** Max age of an offer's challenge (ms); the server accepts it for 5 minutes. */
const CHALLENGE_MAX_AGE_MS = 4.5 * 60_000;

/**
 * Offers passkeys in the autofill of the e-mail field. Shows no error if none is picked.
 * @param onPicked receives a function that signs in with the picked passkey
 */
function usePasskeyOffer(isOn: boolean, onPicked: (signIn: () => Promise<unknown>) => void) {
  const picked = useEffectEvent(onPicked);
  useEffect(() => {
    if (!isOn) return;
    let isOver = false;
    const offer = async () => {
      if (!(await offersPasskeys())) return;
      const expiry = Date.now() + CHALLENGE_MAX_AGE_MS;
      const { startPasskeySignIn } = await execute(StartPasskeySignInDocument, { input: {} });
      if (isOver) return;
      const input = await signWithPasskey(startPasskeySignIn.options as object, true);
      picked(() =>
        Date.now() < expiry ? change(SignInWithPasskeyDocument, { input }) : signInWithPasskey(),
      );
    };
    offer().catch(() => undefined);
    return () => {
      isOver = true;
      void withdrawPasskeys();
    };
  }, [isOn]);
}

/** Shown instead of the requested page until the member has signed in. */
export function SignIn({ ended, email }: { ended: boolean; email: string }) {
  const heading = usePageTitle("Sign in");
  const options = useSignInOptions();
  const password = useRef<HTMLInputElement>(null);
  const [busy, setBusy] = useState<"password" | "passkey">();
  const [error, setError] = useState<unknown>();
  /** Set once the password is verified, for members who must also use a passkey. */
  const [confirmed, setConfirmed] = useState<Credentials>();
  const [isOffering, setOffering] = useState(true);

  const run = async (by: "password" | "passkey", signIn: () => Promise<unknown>) => {
    setBusy(by);
    setError(undefined);
    setOffering(false);
    try {
      await signIn();
      // For example, browsers reject the cookie of an HTTPS deployment at an HTTP address.
      if (isSignedOut()) throw new ApiError(NOT_KEPT, "session_not_kept");
    } catch (failure) {
      setError(failure);
      setBusy(undefined);
      if (by === "password") password.current?.select();
    }
  };
  usePasskeyOffer(options.password && isOffering, (signIn) => run("passkey", signIn));
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const input = { email: String(form.get("email")), password: String(form.get("password")) };
    return run("password", async () => {
      try {
        await change(SignInDocument, { input });
      } catch (failure) {
        if (!(failure instanceof ApiError && failure.code === "passkey_required")) throw failure;
        setConfirmed(input);
        await signInWithPasskey(input);
      }
    });
  };
  const back = () => {
    setError(undefined);
    setConfirmed(undefined);
  };
  const withPasskey = () => run("passkey", () => signInWithPasskey(confirmed));

  return (
    <main className={styles.page}>
      <div className={styles.box}>
        <Wordmark />
        <h1 ref={heading} tabIndex={-1} className={styles.title}>
          Sign in
        </h1>
        {ended && error === undefined && (
          <p role="status" className={styles.ended}>
            <Icon of={IconLock} /> Your session has expired. Sign in to continue.
          </p>
        )}
        {error !== undefined && <Failure error={error} />}
        {confirmed ? (
          <div className={styles.form}>
            <div>
              <p className={styles.label}>E-mail</p>
              <p className={styles.email}>{confirmed.email}</p>
            </div>
            <p className={styles.confirm}>Your password is correct. Confirm with a passkey.</p>
            <Button autoFocus loading={busy !== undefined} onClick={withPasskey}>
              Use a passkey
            </Button>
            <Button variant="default" onClick={back}>
              Back
            </Button>
          </div>
        ) : (
          <>
            {options.issuerName !== null && (
              <IssuerButton name={options.issuerName} returnTo={location.pathname + location.search} />
            )}
            {options.password && (
              <>
                {options.issuerName !== null && <p className={styles.or}>or with a password</p>}
                <form onSubmit={submit} className={styles.form}>
                  <TextInput
                    name="email"
                    type="email"
                    label="E-mail"
                    autoComplete="username webauthn"
                    required
                    withAsterisk={false}
                    defaultValue={email}
                    autoFocus={email === ""}
                  />
                  <PasswordInput
                    ref={password}
                    name="password"
                    label="Password"
                    autoComplete="current-password"
                    autoFocus={email !== ""}
                    required
                    withAsterisk={false}
                    visibilityToggleButtonProps={{ "aria-label": "Show password" }}
                  />
                  <Button type="submit" loading={busy === "password"}>
                    Sign in
                  </Button>
                  <Button
                    variant="default"
                    leftSection={<Icon of={IconFingerprint} size={16} />}
                    loading={busy === "passkey"}
                    onClick={withPasskey}
                  >
                    Sign in with a passkey
                  </Button>
                </form>
                <p className={styles.help}>
                  Forgot your password? An administrator can reset it with:{" "}
                  <code>npm run -s gateway -- members reset-password &lt;email&gt;</code>
                </p>
              </>
            )}
          </>
        )}
      </div>
    </main>
  );
}
