import { t } from "#texts/pages/users.ts";
import type { User } from "../../api/people/users.ts";
import { numberText } from "../../texts/number-text.ts";
import { Status } from "../../ui/ui.ts";

/** The number of the user's groups. A user in none, other than an admin, sees no device. */
export function GroupsOf({ user: { role, groupCount } }: { user: User }) {
  if (role !== "admin" && groupCount === 0) return <Status plain of={["warn", t.noneSeesNoDevice]} />;
  return <>{numberText(groupCount)}</>;
}
