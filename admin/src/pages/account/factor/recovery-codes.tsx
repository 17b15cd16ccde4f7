import { Button } from "@mantine/core";
import { useSession } from "../../../parts/session.ts";
import { CopyButton, DownloadButton } from "../../../ui/input/copy.tsx";
import { DialogActions } from "../../../ui/input/dialog.tsx";
import "./set-up-factor.css";

/** Recovery codes, which are shown this once. */
export function RecoveryCodes({ codes, onDone }: { codes: readonly string[]; onDone: () => void }) {
  const { user } = useSession();
  const text = codes.map((code) => `${code}\n`).join("");
  const file = `Recovery codes of ${user.email} at ${location.host}\nEach is accepted once.\n\n${text}`;
  return (
    <>
      <div className="secret">
        <p>
          <strong>Store these codes now: they are not shown again.</strong> Without your phone, each of them signs you
          in once. A person who has one needs only your password.
        </p>
        <ul className="recovery-codes" aria-label="Recovery codes" data-secret>
          {codes.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </ul>
        <div className="row">
          <CopyButton text={text} label="Copy all" />
          <DownloadButton name="muster-recovery-codes.txt" content={file} />
        </div>
      </div>
      <DialogActions>
        <Button onClick={onDone}>I have stored them</Button>
      </DialogActions>
    </>
  );
}
