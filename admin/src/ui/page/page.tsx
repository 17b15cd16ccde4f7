import { type ReactNode, useEffect } from "react";
import { setDocumentTitle } from "./document-title.ts";
import "./page.css";

interface PageProps {
  /** The heading, and the browser's title. */
  title: string;
  /** Replaces the title as heading, if the heading needs more than text. */
  heading?: ReactNode;
  /** The screen above this one. */
  back?: { href: string; label: string };
  /** One sentence below the heading. */
  lead?: ReactNode;
  /** Buttons beside the heading. */
  actions?: ReactNode;
  tabs?: ReactNode;
  /** Limits the width, for forms and texts, which are hard to read in long lines. */
  narrow?: boolean;
  children: ReactNode;
}

/** A screen: its way back, its heading with actions, its tabs, its content. */
export function Page({ title, heading, back, lead, actions, tabs, narrow, children }: PageProps) {
  useEffect(() => setDocumentTitle(title), [title]);
  return (
    <div className={narrow ? "page page-narrow" : "page"}>
      <header className="page-top row row-fields between">
        <div className="page-heading">
          {back && (
            <a className="page-back" href={back.href}>
              <span aria-hidden="true">← </span>
              {back.label}
            </a>
          )}
          <h1 tabIndex={-1}>{heading ?? title}</h1>
          {lead && <p className="page-lead">{lead}</p>}
        </div>
        {actions && <div className="row">{actions}</div>}
      </header>
      {tabs}
      {children}
    </div>
  );
}

interface SectionProps {
  title: string;
  /** A sentence below the title. */
  lead?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

/** A titled part of a screen. */
export function Section({ title, lead, actions, children }: SectionProps) {
  return (
    <section className="section stack" aria-label={title}>
      <div className="row row-fields between">
        <div>
          <h2>{title}</h2>
          {lead && <p className="page-lead">{lead}</p>}
        </div>
        {actions && <div className="row">{actions}</div>}
      </div>
      {children}
    </section>
  );
}

/** A framed area. */
export function Panel({ children, tight }: { children: ReactNode; tight?: boolean }) {
  return <div className={tight ? "panel panel-tight framed" : "panel framed"}>{children}</div>;
}
