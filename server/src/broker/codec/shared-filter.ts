/** A filter of a shared subscription, divided [MQTT-4.8.2-1, MQTT-4.8.2-2]. */
export interface SharedFilter {
  name: string;
  filter: string;
}

const SHARED = "$share/";

/** @returns undefined where `filter` is not one of a shared subscription; an empty name or filter where its form is wrong */
export function sharedFilter(filter: string): SharedFilter | undefined {
  if (!filter.startsWith(SHARED)) return undefined;
  const end = filter.indexOf("/", SHARED.length);
  if (end < 0) return { name: filter.slice(SHARED.length), filter: "" };
  return { name: filter.slice(SHARED.length, end), filter: filter.slice(end + 1) };
}
