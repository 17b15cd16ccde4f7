import type { ReactNode } from "react";
import "./empty.css";

interface EmptyProps {
  /** What there is none of, as a sentence. */
  title: string;
  /** Why, and what to do. */
  children?: ReactNode;
  /** The way to the first one, or to fewer filters. */
  action?: ReactNode;
}

/** In place of a list without entries: none yet, none that match, or none that this user may see. */
export function Empty({ title, children, action }: EmptyProps) {
  return (
    <div className="empty">
      <p className="empty-title">{title}</p>
      {children && <div className="empty-text">{children}</div>}
      {action}
    </div>
  );
}
