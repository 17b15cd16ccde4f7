import { useSyncExternalStore } from "react";
import "./toasts.css";

interface Toast {
  id: number;
  text: string;
}

const SHOWN_MS = 5000;
let toasts: readonly Toast[] = [];
let last = 0;
const listeners = new Set<() => void>();

function set(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

/** Shows in a corner, for a few seconds, that something is done. A failure is shown beside its cause instead. */
export function toast(text: string): void {
  last += 1;
  const id = last;
  set([...toasts, { id, text }]);
  setTimeout(() => set(toasts.filter((each) => each.id !== id)), SHOWN_MS);
}

export function Toasts() {
  const shown = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => toasts,
  );
  return (
    <div className="toasts stack-tight" role="status">
      {shown.map(({ id, text }) => (
        <p key={id}>{text}</p>
      ))}
    </div>
  );
}
