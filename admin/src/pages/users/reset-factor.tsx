import { resetFactor, USERS, type User } from "../../api/people/users.ts";
import { renderProblem } from "../../parts/problem-box.tsx";
import { toast } from "../../parts/toasts.tsx";
import { useRefresh } from "../../parts/use-refresh.ts";
import { Confirm } from "../../ui/input/confirm.tsx";

/** Removes the second factor of a user who lost it. */
export function ResetFactor({ user, opened, onClose }: { user: User; opened: boolean; onClose: () => void }) {
  const refresh = useRefresh();
  return (
    <Confirm
      title={`Remove the second factor of ${user.email}?`}
      opened={opened}
      onClose={onClose}
      action="Remove second factor"
      problem={renderProblem}
      onConfirm={async () => {
        await resetFactor(user.id);
        toast(`The second factor of ${user.email} is removed.`);
        await refresh(USERS);
      }}
    >
      <p>
        For a user who lost the authenticator app and the recovery codes. Make sure that it is this person who asks for
        it.
      </p>
      <p>
        The sessions of the user end at once, and the recovery codes stop. From then on the password alone signs in,
        until the user sets up another second factor. API keys stay.
      </p>
    </Confirm>
  );
}
