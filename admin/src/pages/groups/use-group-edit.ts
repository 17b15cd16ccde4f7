import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { GROUPS, type Group, type GroupEdit, groupQuery, updateGroup } from "../../api/people/groups.ts";
import { COVERAGE } from "../../api/people/on-call.ts";
import type { Versioned } from "../../api/versioned.ts";
import { toast } from "../../parts/toasts.tsx";
import { useRefresh } from "../../parts/use-refresh.ts";

/**
 * A change of a group by a form that is open.
 *
 * @param opened the version that the form begins with: the screen goes on to follow the group meanwhile
 */
export function useGroupEdit(opened: Versioned<Group>, onClose: () => void) {
  const [{ record, etag }, setVersion] = useState(opened);
  const queries = useQueryClient();
  const refresh = useRefresh();
  return {
    record,
    /** Reads the group as it is now; the next {@link save} names that version. */
    load: async () => {
      const now = await queries.fetchQuery({ ...groupQuery(record.id), staleTime: 0 });
      setVersion(now);
      return now.record;
    },
    save: async (body: GroupEdit) => {
      await updateGroup(record.id, etag, body);
      onClose();
      toast("Saved.");
      await refresh(GROUPS, COVERAGE);
    },
  };
}
