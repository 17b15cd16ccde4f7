import type { ReactNode } from "react";
import "./link-button.css";

/** A button that reads like a link, for secondary acts of a form. */
export function LinkButton({ onClick, children }: { onClick: () => void; children: ReactNode }) {
  return (
    <button type="button" className="link-button" onClick={onClick}>
      {children}
    </button>
  );
}
