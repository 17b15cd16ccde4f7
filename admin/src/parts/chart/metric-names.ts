/** Joins names of metrics for an address by commas; a comma in a name is escaped by a backslash. */
export function metricsParameter(names: readonly string[]): string {
  return names.map((name) => name.replaceAll(/[\\,]/g, "\\$&")).join(",");
}

/** Returns the names that {@link metricsParameter} has joined. */
export function metricsOf(parameter: string | undefined): string[] {
  if (!parameter) return [];
  const names = parameter.match(/(?:\\.|[^\\,])+/gs) ?? [];
  return names.map((name) => name.replaceAll(/\\(.)/gs, "$1"));
}
