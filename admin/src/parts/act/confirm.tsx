import { TextInput } from "@mantine/core";
import { type FormEvent, type ReactNode, useEffect, useState } from "react";
import { t } from "#texts/parts.ts";
import { Action, type ActionProps, Dialog, DialogActions } from "../../ui/ui.ts";
import { type Ending, useAct, useEnding } from "./use-act.tsx";

interface Question<Result> extends Ending<Result> {
  /** A question: "Revoke this certificate?" */
  title: string;
  /** The button that acts: "Revoke". */
  action: string;
  run: () => Promise<Result>;
  /** For irreversible acts: the user types this text, usually the id. */
  typed?: string | undefined;
  /** Gives the button the usual colour. */
  harmless?: boolean;
  /** The consequence, and the record that it affects. */
  children: ReactNode;
}
interface ConfirmProps<Result> extends Question<Result> {
  opened: boolean;
  onClose: () => void;
}

/** Asks before an act with consequences. It closes when the act is done, and otherwise shows why it failed. */
export function Confirm<Result>(props: ConfirmProps<Result>) {
  const { title, action, run, typed, harmless, children, opened, onClose } = props;
  const [text, setText] = useState("");
  const { act, busy, problem, clear } = useAct();
  const end = useEnding(props);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only opening clears the dialog
  useEffect(() => {
    if (!opened) return;
    setText("");
    clear();
  }, [opened]);
  const confirm = (event: FormEvent) => {
    event.preventDefault();
    return act(async () => {
      await end(await run());
      onClose();
    });
  };
  const asked = typed === undefined ? undefined : shortened(typed);
  const label = <>{t.typeToConfirm(<code>{asked}</code>)}</>;
  return (
    <Dialog title={title} opened={opened} onClose={onClose}>
      <form className="stack" onSubmit={confirm}>
        {children}
        {typed !== undefined && (
          <TextInput
            label={label}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            autoComplete="off"
            spellCheck={false}
            data-autofocus
          />
        )}
        {problem}
        <DialogActions>
          <Action label={t.cancel} onClick={onClose} />
          <Action
            type="submit"
            label={action}
            color={harmless ? "accent" : "bad"}
            loading={busy}
            disabled={typed !== undefined && ![typed, asked].includes(text.trim())}
          />
        </DialogActions>
      </form>
    </Dialog>
  );
}

/** A longer text is confirmed by its end, which differs among ids and among names. */
const MOST_TYPED = 12;
const TYPED = 4;

function shortened(typed: string): string {
  return typed.length > MOST_TYPED ? typed.slice(-TYPED).trim() : typed;
}

interface AsksProps<Result> extends Question<Result>, Omit<ActionProps, "title" | "onClick"> {
  /** The reason why it is not possible now. */
  impossible?: string | undefined;
}

/** A button whose act is confirmed first. */
export function Asks<Result>(props: AsksProps<Result>) {
  const { title, action, run, done, refreshes, leads, typed, harmless, children, impossible, ...button } = props;
  const [opened, setOpened] = useState(false);
  const question = { title, action, run, done, refreshes, leads, typed, harmless, children } as Question<Result>;
  return (
    <>
      <Action
        {...button}
        disabled={button.disabled || impossible !== undefined}
        title={impossible}
        onClick={() => setOpened(true)}
      />
      <Confirm {...question} opened={opened} onClose={() => setOpened(false)} />
    </>
  );
}
