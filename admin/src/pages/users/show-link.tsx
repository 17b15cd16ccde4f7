import { Button } from "@mantine/core";
import type { ReactNode } from "react";
import { Time } from "../../ui/display/time.tsx";
import { DialogActions } from "../../ui/input/dialog.tsx";
import { Secret } from "../../ui/input/secret.tsx";

export interface MadeLink {
  email: string;
  url: string;
  expiresAt: string;
  mailed: boolean;
}

interface ShowLinkProps {
  link: MadeLink;
  onDone: () => void;
  /** What else is to be done. */
  children?: ReactNode;
}

/** A link that works once, to hand over where no mail brings it. */
export function ShowLink({ link, onDone, children }: ShowLinkProps) {
  return (
    <>
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
      <DialogActions>
        <Button onClick={onDone}>Done</Button>
      </DialogActions>
    </>
  );
}
