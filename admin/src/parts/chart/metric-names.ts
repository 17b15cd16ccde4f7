/** Names of metrics as one value of an address, separated by commas; a comma of a name has a backslash before it. */
export function metricsParameter(names: readonly string[]): string {
  return names.map((name) => name.replaceAll(/[\\,]/g, "\\$&")).join(",");
}

/** The names that {@link metricsParameter} has joined. */
export function metricsOf(parameter: string | undefined): string[] {
  if (!parameter) return [];
  const names = parameter.match(/(?:\\.|[^\\,])+/gs) ?? [];
  return names.map((name) => name.replaceAll(/\\(.)/gs, "$1"));
}
