import { useQuery } from "@tanstack/react-query";
import { devicesQuery } from "../../api/devices.ts";
import { MOST_COMPARED } from "../../parts/chart/most-compared.ts";
import { useUrlState } from "../../parts/url-state.ts";

/** The most devices in one chart, where more lines cannot be told apart. */
export const MOST_LINES = 10;

export interface Compared {
  /** The ids of the devices that are shown. */
  ids: readonly string[];
  /** The number of devices of the group or the address, of which some may not be shown. */
  total: number;
  groupId: string | undefined;
}

/** Returns the devices of the address: those of `groupId`, or those that `devices` names, separated by commas. */
export function useCompared(most: number): Compared {
  const [{ groupId, devices = "" }] = useUrlState();
  const ofGroup = useQuery({
    ...devicesQuery({ groupId: groupId ?? "", sort: "name", limit: MOST_COMPARED }),
    enabled: groupId !== undefined,
  });
  const named = [...new Set(devices.split(",").filter((id) => id !== ""))];
  const ids = groupId === undefined ? named : (ofGroup.data?.items.map(({ id }) => id) ?? []);
  const total = groupId === undefined ? named.length : (ofGroup.data?.total ?? 0);
  return { ids: ids.slice(0, most), total, groupId };
}
