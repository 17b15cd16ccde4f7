import { common } from "#texts/common.ts";
import type { Versioned } from "../../api/client.ts";
import { GROUPS, type Group, type GroupEdit, groupQuery, updateGroup } from "../../api/people/groups.ts";
import { COVERAGE } from "../../api/people/on-call.ts";
import { useVersion } from "../../parts/form/form.tsx";
import { toast } from "../../parts/toasts.tsx";
import { useRefresh } from "../../parts/use-refresh.ts";

/** Changes a group by an open form. @param opened the version that the form begins with */
export function useGroupEdit(opened: Versioned<Group>, onClose: () => void) {
  const { record, etag, load } = useVersion(opened, groupQuery(opened.record.id));
  const refresh = useRefresh();
  const save = async (body: GroupEdit) => {
    await updateGroup(record.id, etag, body);
    onClose();
    toast(common.saved);
    await refresh(GROUPS, COVERAGE);
  };
  return { record, load, save };
}
