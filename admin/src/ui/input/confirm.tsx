import { Button, TextInput } from "@mantine/core";
import { type FormEvent, type ReactNode, useEffect, useState } from "react";
import { Dialog, DialogActions } from "./dialog.tsx";

interface ConfirmProps {
  /** A question: "Revoke this certificate?" */
  title: string;
  opened: boolean;
  onClose: () => void;
  /** The button that acts: "Revoke". */
  action: string;
  /** Resolves when it is done; the dialog closes then. What it rejects with is given to `problem`. */
  onConfirm: () => Promise<unknown>;
  /** What will happen, and to what. */
  children: ReactNode;
  /** For what cannot be undone: the user types this, usually the id. */
  typed?: string;
  /** Harmless acts have the usual colour. */
  harmless?: boolean;
  /** Renders why it failed. */
  problem: (error: unknown) => ReactNode;
}

/** Asks before a consequence. */
export function Confirm(props: ConfirmProps) {
  const { title, opened, onClose, action, onConfirm, children, typed, harmless, problem } = props;
  const [text, setText] = useState("");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    if (!opened) return;
    setText("");
    setError(undefined);
  }, [opened]);
  const confirm = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      await onConfirm();
      onClose();
    } catch (reason) {
      setError(reason);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog title={title} opened={opened} onClose={onClose}>
      <form onSubmit={confirm} className="stack">
        {children}
        {typed !== undefined && (
          <TextInput
            label={
              <>
                Type <code>{typed}</code> to confirm
              </>
            }
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            autoComplete="off"
            spellCheck={false}
            data-autofocus
          />
        )}
        {error !== undefined && problem(error)}
        <DialogActions>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button
            type="submit"
            color={harmless ? "accent" : "bad"}
            loading={busy}
            disabled={typed !== undefined && text.trim() !== typed}
          >
            {action}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
