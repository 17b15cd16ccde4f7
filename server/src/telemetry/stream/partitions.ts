/**
 * The number of partitions of the stream: one per last digit of a device's uid, which is random. `stream_partitions`
 * has a row for each.
 */
export const PARTITIONS = 16;

export const SUBJECTS = "muster.ingest.*";

export function subjectOf(partition: number): string {
  return `muster.ingest.${partition}`;
}

export function partitionOf(deviceUid: string): number {
  return Number.parseInt(deviceUid.at(-1)!, PARTITIONS);
}
