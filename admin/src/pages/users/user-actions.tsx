import { Button } from "@mantine/core";
import { useState } from "react";
import { resetUser, type User } from "../../api/people/users.ts";
import type { Versioned } from "../../api/versioned.ts";
import { renderProblem } from "../../parts/problem-box.tsx";
import { useMay } from "../../parts/session.ts";
import { Confirm } from "../../ui/input/confirm.tsx";
import { Dialog } from "../../ui/input/dialog.tsx";
import { ChangeRole } from "./change-role.tsx";
import { EndUser } from "./end-user.tsx";
import { Reactivate } from "./reactivate.tsx";
import { ResetFactor } from "./reset-factor.tsx";
import { type MadeLink, ShowLink } from "./show-link.tsx";

type Act = "role" | "reset" | "factor" | "deactivate" | "delete" | "reactivate";

/** What an administrator can do with a user. */
export function UserActions({ record, etag }: Versioned<User>) {
  const [open, setOpen] = useState<Act>();
  const may = useMay("changeUser");
  if (!may) return null;
  const active = record.status === "active";
  const acts: readonly (readonly [act: Act, label: string])[] = active
    ? [
        ["role", "Change role"],
        ["reset", "Reset password"],
        ...(record.secondFactor ? ([["factor", "Remove second factor"]] as const) : []),
        ["deactivate", "Deactivate"],
        ["delete", "Delete"],
      ]
    : [
        ["reactivate", "Reactivate"],
        ["delete", "Delete"],
      ];
  const close = () => setOpen(undefined);
  return (
    <>
      {acts.map(([act, label]) => (
        <Button key={act} variant="default" onClick={() => setOpen(act)}>
          {label}
        </Button>
      ))}
      <ChangeRole user={record} etag={etag} opened={open === "role"} onClose={close} />
      <Reset user={record} opened={open === "reset"} onClose={close} />
      <ResetFactor user={record} opened={open === "factor"} onClose={close} />
      <EndUser user={record} etag={etag} act={endOf(open)} onClose={close} />
      <Reactivate user={record} etag={etag} opened={open === "reactivate"} onClose={close} />
    </>
  );
}

function endOf(open: Act | undefined): "deactivate" | "delete" | undefined {
  return open === "deactivate" || open === "delete" ? open : undefined;
}

function Reset({ user, opened, onClose }: { user: User; opened: boolean; onClose: () => void }) {
  const [link, setLink] = useState<MadeLink>();
  return (
    <>
      <Confirm
        title={`Reset the password of ${user.email}?`}
        opened={opened}
        onClose={onClose}
        action="Make a reset link"
        harmless
        problem={renderProblem}
        onConfirm={async () => setLink({ email: user.email, ...(await resetUser(user.id)) })}
      >
        <p>
          Makes a link with which the user chooses a new password. Nothing changes until it is used; then the sessions
          of the user end, and so do the API keys that this page lists.
        </p>
      </Confirm>
      <Dialog
        title={`Reset link for ${user.email}`}
        keep
        opened={link !== undefined}
        onClose={() => setLink(undefined)}
      >
        {link && <ShowLink link={link} onDone={() => setLink(undefined)} />}
      </Dialog>
    </>
  );
}
