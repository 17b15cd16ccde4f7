import type { ReactNode } from "react";
import "./empty.css";

interface EmptyProps {
  /** The sentence that says so: "There is no claim yet." */
  title: string;
  /** The reason, and the remedy. */
  children?: ReactNode;
  /** The way to the first record, or to fewer filters. */
  action?: ReactNode;
}

/** Replaces a list without entries: none yet, none that match, or none that this user may see. */
export function Empty({ title, children, action }: EmptyProps) {
  return (
    <div className="empty">
      <p className="empty-title">{title}</p>
      {children && <div className="empty-text">{children}</div>}
      {action}
    </div>
  );
}
