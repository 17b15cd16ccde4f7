import { useQuery } from "@tanstack/react-query";
import { t } from "#texts/parts.ts";
import { groupChoicesQuery } from "../../api/people/groups.ts";

/** Returns why an operator or viewer sees no device, and who can change that. */
export function useWhyNoDevice(): string {
  const groups = useQuery(groupChoicesQuery()).data?.items;
  return groups?.length === 0 ? t.youAreInNoGroup : t.yourGroupsHaveNoDevice;
}
