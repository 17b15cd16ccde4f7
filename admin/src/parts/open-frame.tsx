import { type ReactNode, useEffect } from "react";
import { t } from "#texts/parts.ts";
import icon from "../icon.svg";
import "./open-frame.css";

/** The frame of screens without a session. */
export function OpenFrame({ title, lead, children }: { title: string; lead?: ReactNode; children: ReactNode }) {
  useEffect(() => {
    document.title = t.muster(title);
  }, [title]);
  return (
    <main className="open-frame">
      <div className="open-card stack-loose framed">
        <p className="open-brand">
          <img src={icon} alt="" width="28" height="28" />
          {"Muster"}
        </p>
        <div>
          <h1 tabIndex={-1}>{title}</h1>
          {lead && <p className="page-lead">{lead}</p>}
        </div>
        {children}
      </div>
    </main>
  );
}
