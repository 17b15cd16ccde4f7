import type { ReactNode } from "react";
import { t } from "#texts/pages/users.ts";
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
    <ShownOnce title={title} done={t.done} onDone={onDone}>
      <Secret label={t.link} value={link.url}>
        <p>{t.itWorksOnceUntil(<Time at={link.expiresAt} />)}</p>
      </Secret>
      <p>{link.mailed ? t.itIsBeingMailedTo(link.email) : t.itIsNotMailedNo(link.email)}</p>
      {children}
    </ShownOnce>
  );
}
