import { type RawBuilder, sql } from "kysely";
import { bytesArray, plainArray, textArray } from "../../db/array-literal.ts";
import { float8Array } from "../../db/binary-array.ts";
import type { Tx } from "../../db/database.ts";
import { createPauses } from "../../lib/pauses.ts";
import { Chunk, encodeChunk } from "./chunk-codec.ts";
import { type DeviceHour, given, type HourSpan, micros, spansOf } from "./device-hours-store.ts";
import { type ShapeColumns, type ShapeRows, shapeRows } from "./hour-rows-store.ts";

/**
 * Loads the starts of later slices of hours that are split, in microseconds since 1970. Maps the index of each such
 * hour to the starts in order; the first slice starts with the hour and is left out.
 */
export async function loadLaterSlices(tx: Tx, hours: readonly DeviceHour[]): Promise<Map<number, number[]>> {
  const { rows: c, within } = given(hours, spansOf(hours));
  const { rows } = await sql<{ which: number; from: number }>`
    SELECT DISTINCT c.which, ${micros(sql`k.ts`)} AS "from"
      FROM ${c} JOIN telemetry_shapes s ON s.device_uid = c.device_uid
      JOIN telemetry_chunks k ON k.shape_no = s.shape_no AND k.ts > c."from" AND ${within(sql`k.ts`)} ORDER BY 1, 2`.execute(
    tx,
  );
  const found = new Map<number, number[]>();
  for (const { which, from } of rows) found.set(which, [...(found.get(which) ?? []), from]);
  return found;
}

type StoredChunk = ShapeColumns & { from: number; retention_days: number; data: Buffer };

/** Loads the chunks that start with the given spans. */
export async function loadChunks(
  tx: Tx,
  hours: readonly DeviceHour[],
  spans: readonly HourSpan[],
): Promise<ShapeRows[]> {
  if (spans.length === 0) return [];
  const { rows: c, within } = given(hours, spans);
  const { rows } = await sql<StoredChunk>`
    SELECT c.which, s.shape_no, s.metrics, s.kinds, ${micros(sql`k.ts`)} AS "from", k.retention_days, k.data
      FROM ${c} JOIN telemetry_shapes s ON s.device_uid = c.device_uid
      JOIN telemetry_chunks k ON k.shape_no = s.shape_no AND k.ts = c."from" AND ${within(sql`k.ts`)}`.execute(tx);
  return rows.map((stored) => {
    const { kinds, from, data } = stored;
    const chunk = new Chunk(data, from);
    const places = [...kinds].map((_, place) => place);
    return shapeRows(stored, stored.retention_days, {
      times: chunk.times,
      received: chunk.received,
      seqs: chunk.seqs,
      numbers: places.filter((place) => kinds[place] !== "t").map((place) => chunk.numbers(place)),
      texts: places.filter((place) => kinds[place] === "t").map((place) => chunk.texts(place)),
    });
  });
}

/**
 * The rows of a chunk, its start in microseconds since 1970, and the encoded minutes of each metric of the shape (see
 * `roll-up/minutes-codec.ts`).
 */
export type ChunkRows = Pick<ShapeRows, "shapeNo" | "retentionDays" | "rows"> & {
  from: number;
  minutes: readonly (Uint8Array | undefined)[];
};

export async function storeChunks(tx: Tx, chunks: readonly ChunkRows[]): Promise<void> {
  if (chunks.length === 0) return;
  const pause = createPauses();
  const data: Buffer[] = [];
  for (const { rows, from } of chunks) {
    data.push(encodeChunk(rows, from));
    await pause();
  }
  await sql`
    INSERT INTO telemetry_chunks (shape_no, ts, retention_days, data, minutes, minute_ends)
    SELECT u.shape_no, u.ts, u.retention_days, d.data, u.minutes, u.minute_ends
      FROM ${withMinutes(chunks)} JOIN unnest(${bytesArray(data)}::text::bytea[]) WITH ORDINALITY AS d (data, n) USING (n)
    ON CONFLICT (shape_no, ts, retention_days) DO UPDATE
       SET data = excluded.data, minutes = excluded.minutes, minute_ends = excluded.minute_ends`.execute(tx);
}

/** Updates the minutes of chunks whose rows have not changed. */
export async function storeMinutes(tx: Tx, chunks: readonly ChunkRows[]): Promise<void> {
  if (chunks.length === 0) return;
  const from = chunks.map((chunk) => chunk.from);
  const timeOf = (time: number) => sql`to_timestamp(${time}::float8 / 1e6)`;
  await sql`
    UPDATE telemetry_chunks k SET minutes = u.minutes, minute_ends = u.minute_ends FROM ${withMinutes(chunks)}
     WHERE k.shape_no = u.shape_no AND k.ts = u.ts AND k.retention_days = u.retention_days
       AND (k.minutes, k.minute_ends) IS DISTINCT FROM (u.minutes, u.minute_ends)
       AND k.ts >= ${timeOf(Math.min(...from))} AND k.ts <= ${timeOf(Math.max(...from))}`.execute(tx);
}

/** Returns the chunks as rows of `u` (shape_no, ts, retention_days, minutes, minute_ends, n), without their data. */
function withMinutes(chunks: readonly ChunkRows[]): RawBuilder<unknown> {
  const joined = chunks.map(({ minutes }) => joinedMinutes(minutes));
  return sql`(
    SELECT c.shape_no, to_timestamp(c.from / 1e6) AS ts, c.retention_days, c.minutes, c.ends::integer[] AS minute_ends, c.n
      FROM unnest(${plainArray(chunks.map(({ shapeNo }) => shapeNo))}::text::integer[],
                  ${float8Array(chunks.map(({ from }) => from))}::float8[],
                  ${plainArray(chunks.map(({ retentionDays }) => retentionDays))}::text::smallint[],
                  ${bytesArray(joined.map(({ bytes }) => bytes))}::text::bytea[],
                  ${textArray(joined.map(({ ends }) => ends))}::text::text[])
           WITH ORDINALITY AS c (shape_no, "from", retention_days, minutes, ends, n)) AS u`;
}

/**
 * Joins the minutes of all metrics and stores where each ends, so that a chart can read the bytes of one metric only.
 */
function joinedMinutes(minutes: ChunkRows["minutes"]): { bytes?: Buffer; ends?: string } {
  const some = minutes.filter((of) => of !== undefined);
  if (some.length === 0) return {};
  let end = 0;
  const ends = minutes.map((of) => {
    end += of?.length ?? 0;
    return end;
  });
  return { bytes: Buffer.concat(some), ends: plainArray(ends) };
}

/** Deletes the chunks that begin with these spans. */
export async function deleteChunks(tx: Tx, hours: readonly DeviceHour[], spans: readonly HourSpan[]): Promise<void> {
  if (spans.length === 0) return;
  const { rows: c, within } = given(hours, spans);
  await sql`
    DELETE FROM telemetry_chunks k USING ${c} JOIN telemetry_shapes s ON s.device_uid = c.device_uid
     WHERE k.shape_no = s.shape_no AND k.ts = c."from" AND ${within(sql`k.ts`)}`.execute(tx);
}
