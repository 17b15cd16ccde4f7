import {
  createContext,
  type ReactNode,
  type SyntheticEvent,
  useContext,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { common } from "#texts/common.ts";
import { Action, type ActionProps } from "./action.tsx";
import "./dialog.css";

interface Frame {
  title: string;
  /** Keeps the dialog open on Escape and on a click beside it: its content is shown only once. */
  keep?: boolean | undefined;
  wide?: boolean | undefined;
}
interface DialogProps extends Frame {
  opened: boolean;
  onClose: () => void;
  children: ReactNode;
}
const Replaced = createContext<(frame: Frame | undefined) => void>(() => undefined);

/**
 * A dialog; on a phone it fills the width. The browser's own element keeps the focus inside and makes the rest of the
 * page inert. The content exists only while the dialog is open, so a form in it begins empty.
 */
export function Dialog({ opened, onClose, children, ...own }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  const [replaced, replace] = useState<Frame>();
  const { title, keep, wide } = { ...own, ...replaced };
  useEffect(() => {
    const dialog = element.current!;
    if (!opened || dialog.open) return;
    dialog.showModal();
    dialog.querySelector<HTMLElement>("[data-autofocus]")?.focus();
    return () => dialog.close();
  }, [opened]);
  const cancel = (event: SyntheticEvent) => {
    event.preventDefault();
    if (!keep) onClose();
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape does the same, as `cancel`
    <dialog
      ref={element}
      className={wide ? "dialog dialog-wide framed" : "dialog framed"}
      aria-labelledby={id}
      onCancel={cancel}
      onClick={(event) => event.target === element.current && cancel(event)}
    >
      {opened && (
        <div className="dialog-content stack">
          <div className="dialog-top">
            <h2 id={id}>{title}</h2>
            <button type="button" className="dialog-close" aria-label={common.close} onClick={onClose}>
              <span aria-hidden="true">✕</span>
            </button>
          </div>
          <Replaced value={replace}>{children}</Replaced>
        </div>
      )}
    </dialog>
  );
}

/** The buttons of a dialog or a form, the one that acts last. */
export function DialogActions({ children }: { children: ReactNode }) {
  return <div className="row dialog-actions">{children}</div>;
}

/** The fragment of the address, and a key of the navigation that led to it. */
export const Fragment = createContext<{ fragment: string; key: string }>({ fragment: "", key: "" });
/** The fragment at which the dialog of a screen's main button is open. */
export const NEW = "new";

interface OpensProps extends Frame, Omit<ActionProps, "onClick" | "title"> {
  children: (close: () => void) => ReactNode;
  /** The fragment of the address at which the dialog opens by itself. */
  at?: string | undefined;
}

/**
 * Returns a button that opens a dialog, and the dialog. A screen whose data decides where the button is, and whether it
 * is there, always shows the dialog: what is typed or shown once in it stays when the data changes.
 */
export function useOpens({ title, keep, wide, children, at, ...action }: OpensProps) {
  const [opened, setOpened] = useState(false);
  const { fragment, key } = useContext(Fragment);
  const asked = fragment !== "" && fragment === (at ?? (action.main ? NEW : undefined)) ? key : undefined;
  useEffect(() => {
    if (asked !== undefined) setOpened(true);
  }, [asked]);
  const close = () => setOpened(false);
  const button = <Action {...action} onClick={() => setOpened(true)} />;
  const dialog = (
    <Dialog title={title} keep={keep} wide={wide} opened={opened} onClose={close}>
      {opened && children(close)}
    </Dialog>
  );
  return [button, dialog] as const;
}

/** A button that opens a dialog. */
export function Opens(props: OpensProps) {
  const [button, dialog] = useOpens(props);
  return (
    <>
      {button}
      {dialog}
    </>
  );
}

interface ShownOnceProps {
  /** Replaces the title of the dialog. */
  title: string;
  /** The button that closes it: "I have copied it". */
  done: string;
  onDone: () => void;
  children: ReactNode;
}

/** The content of a dialog after its form was sent: a secret that is shown once, so that only its buttons close it. */
export function ShownOnce({ title, done, onDone, children }: ShownOnceProps) {
  const replace = useContext(Replaced);
  useLayoutEffect(() => {
    replace({ title, keep: true });
    return () => replace(undefined);
  }, [replace, title]);
  return (
    <>
      {children}
      <DialogActions>
        <Action main label={done} onClick={onDone} />
      </DialogActions>
    </>
  );
}
