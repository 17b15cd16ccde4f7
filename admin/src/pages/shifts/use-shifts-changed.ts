import { GROUPS } from "../../api/people/groups.ts";
import { COVERAGE } from "../../api/people/on-call.ts";
import { SHIFTS } from "../../api/people/shifts.ts";
import { toast } from "../../parts/toasts.tsx";
import { useRefresh } from "../../parts/use-refresh.ts";

/** Says what was done, and reads again what a shift decides: its groups, their week, and what it covers. */
export function useShiftsChanged(): (said: string) => Promise<void> {
  const refresh = useRefresh();
  return async (said) => {
    toast(said);
    await refresh(SHIFTS, GROUPS, COVERAGE);
  };
}
