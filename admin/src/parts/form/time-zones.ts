/** The time zones that the browser knows, with the one that is chosen. */
export function timeZones(chosen: string): string[] {
  return [...new Set(["UTC", chosen, ...Intl.supportedValuesOf("timeZone")])];
}
