import { changeUser, USERS, type User } from "../../api/people/users.ts";
import { renderProblem } from "../../parts/problem-box.tsx";
import { toast } from "../../parts/toasts.tsx";
import { useRefresh } from "../../parts/use-refresh.ts";
import { Confirm } from "../../ui/input/confirm.tsx";

interface ReactivateProps {
  user: User;
  etag: string | undefined;
  opened: boolean;
  onClose: () => void;
}

/** Lets a deactivated user sign in again. */
export function Reactivate({ user, etag, opened, onClose }: ReactivateProps) {
  const refresh = useRefresh();
  return (
    <Confirm
      title={`Reactivate ${user.email}?`}
      opened={opened}
      onClose={onClose}
      action="Reactivate"
      harmless
      problem={renderProblem}
      onConfirm={async () => {
        await changeUser(user.id, etag, { status: "active" });
        toast(`${user.email} can sign in again.`);
        await refresh(USERS);
      }}
    >
      <p>The user can sign in with the former password. API keys that were revoked stay revoked.</p>
    </Confirm>
  );
}
