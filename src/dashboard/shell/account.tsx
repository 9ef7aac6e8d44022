import { Button } from "@mantine/core";
import { IconLogout } from "@tabler/icons-react";
import { useState } from "react";
import { signOut, useViewer } from "../session/session";
import { Failure } from "../ui/failure";
import { Icon } from "../ui/icon";
import { ColorScheme } from "./color-scheme";
import styles from "./shell.module.css";

/** The theme, the signed-in member, and signing out. */
export function Account() {
  const { email } = useViewer();
  const [busy, setBusy] = useState<"here" | "everywhere">();
  const [error, setError] = useState<unknown>();
  const endSession = async (where: "here" | "everywhere") => {
    setBusy(where);
    setError(undefined);
    await signOut({ everywhere: where === "everywhere" }).catch(setError);
    setBusy(undefined);
  };
  return (
    <div className={styles.account}>
      <ColorScheme />
      <p className={styles.email}>
        <span className="visually-hidden">Signed in as </span>
        {email}
      </p>
      {error !== undefined && <Failure error={error} />}
      <Button
        variant="default"
        size="xs"
        fullWidth
        leftSection={<Icon of={IconLogout} size={15} />}
        loading={busy === "here"}
        onClick={() => endSession("here")}
      >
        Sign out
      </Button>
      <Button
        variant="subtle"
        size="compact-xs"
        loading={busy === "everywhere"}
        onClick={() => endSession("everywhere")}
      >
        Sign out on all devices
      </Button>
    </div>
  );
}
