import { Button, PasswordInput, TextInput } from "@mantine/core";
import { IconLock } from "@tabler/icons-react";
import { type FormEvent, useRef, useState } from "react";
import { change, client } from "../api/client";
import { Failure } from "../ui/failure";
import { Icon } from "../ui/icon";
import { usePageTitle } from "../ui/page";
import { Wordmark } from "../ui/wordmark";
import { SignInDocument } from "./documents.generated";
import styles from "./sign-in.module.css";
import { IssuerButton, useSignInOptions } from "./sign-in-options";

/** Shown instead of the requested page, which appears after signing in. */
export function SignIn({ ended, email }: { ended: boolean; email: string }) {
  const heading = usePageTitle("Sign in");
  const options = useSignInOptions();
  const password = useRef<HTMLInputElement>(null);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const input = { email: String(form.get("email")), password: String(form.get("password")) };
    setBusy(true);
    setError(undefined);
    try {
      // Somebody else may sign in next.
      client.removeQueries({ type: "inactive" });
      await change(SignInDocument, { input });
    } catch (failure) {
      setError(failure);
      setBusy(false);
      password.current?.select();
    }
  };

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
                label="Email"
                autoComplete="username"
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
              <Button type="submit" loading={busy}>
                Sign in
              </Button>
            </form>
            <p className={styles.help}>
              Forgot your password? An administrator can reset it with:{" "}
              <code>npm run -s gateway -- members reset-password &lt;email&gt;</code>
            </p>
          </>
        )}
      </div>
    </main>
  );
}
