/** The filter of a shared subscription, split into its parts [MQTT-4.8.2-1, MQTT-4.8.2-2]. */
export interface SharedFilter {
  name: string;
  filter: string;
}

const SHARED = "$share/";

/**
 * Splits `filter`. @returns undefined if it is not a shared subscription's; an empty name or filter if it is malformed
 */
export function sharedFilter(filter: string): SharedFilter | undefined {
  if (!filter.startsWith(SHARED)) return undefined;
  const end = filter.indexOf("/", SHARED.length);
  if (end < 0) return { name: filter.slice(SHARED.length), filter: "" };
  return { name: filter.slice(SHARED.length, end), filter: filter.slice(end + 1) };
}
