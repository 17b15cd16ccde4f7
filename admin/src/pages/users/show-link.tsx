import type { ReactNode } from "react";
import { Secret, ShownOnce, Time } from "../../ui/ui.ts";

export interface MadeLink {
  email: string;
  url: string;
  expiresAt: string;
  mailed: boolean;
}
interface ShowLinkProps {
  title: string;
  link: MadeLink;
  onDone: () => void;
  children?: ReactNode;
}

/** A link that works once, to be handed over if it is not mailed. */
export function ShowLink({ title, link, onDone, children }: ShowLinkProps) {
  return (
    <ShownOnce title={title} done="Done" onDone={onDone}>
      <Secret label="Link" value={link.url}>
        <p>
          It works once, until <Time at={link.expiresAt} />.
        </p>
      </Secret>
      <p>
        {link.mailed
          ? `It is being mailed to ${link.email}. You can hand it over as well.`
          : `It is not mailed: no mail server is configured, or this address got several links in the last hour. Hand it over to ${link.email} in a way that only this person can read.`}
      </p>
      {children}
    </ShownOnce>
  );
}
