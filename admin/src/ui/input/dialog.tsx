import { type ReactNode, type SyntheticEvent, useEffect, useId, useRef } from "react";
import "./dialog.css";

interface DialogProps {
  title: string;
  opened: boolean;
  onClose: () => void;
  /** Stays when the user presses Escape or clicks beside it: it shows something that is shown once. */
  keep?: boolean;
  wide?: boolean;
  children: ReactNode;
}

/**
 * A dialog; on a phone it fills the width. The browser's own element keeps the focus inside and the rest of the page out of reach. Its
 * content exists only while it is open, so a form in it begins empty.
 */
export function Dialog({ title, opened, onClose, keep, wide, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
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
      className={wide ? "dialog dialog-wide" : "dialog"}
      aria-labelledby={id}
      onCancel={cancel}
      onClick={(event) => event.target === element.current && cancel(event)}
    >
      {opened && (
        <div className="dialog-content">
          <div className="dialog-top">
            <h2 id={id}>{title}</h2>
            <button type="button" className="dialog-close" aria-label="Close" onClick={onClose}>
              <span aria-hidden="true">✕</span>
            </button>
          </div>
          {children}
        </div>
      )}
    </dialog>
  );
}

/** The buttons of a dialog or a form, the one that acts last. */
export function DialogActions({ children }: { children: ReactNode }) {
  return <div className="row dialog-actions">{children}</div>;
}
