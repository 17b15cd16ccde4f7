import { sql } from "kysely";
import { bytesArray, plainArray } from "../../db/array-literal.ts";
import { float8Array } from "../../db/binary-array.ts";
import type { Tx } from "../../db/database.ts";
import { Chunk, encodeChunk } from "./chunk-codec.ts";
import { type DeviceHour, given, type HourSpan, micros, spansOf } from "./device-hours-store.ts";
import { type ShapeColumns, type ShapeRows, shapeRows } from "./hour-rows-store.ts";

/** Where the parts of hours begin that have several, microseconds since 1970: which of the hours → all but the first, which begins with the hour; in order. */
export async function loadLaterParts(tx: Tx, hours: readonly DeviceHour[]): Promise<Map<number, number[]>> {
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

/** The chunks that begin with these spans. */
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

/** Rows of which a chunk is made, and where it begins, microseconds since 1970. */
export type ChunkRows = Pick<ShapeRows, "shapeNo" | "retentionDays" | "rows"> & { from: number };

export async function storeChunks(tx: Tx, chunks: readonly ChunkRows[]): Promise<void> {
  if (chunks.length === 0) return;
  const data = chunks.map(({ rows, from }) => encodeChunk(rows, from));
  await sql`
    INSERT INTO telemetry_chunks (shape_no, ts, retention_days, data)
    SELECT u.shape_no, to_timestamp(u.from / 1e6), u.retention_days, u.data
      FROM unnest(${plainArray(chunks.map(({ shapeNo }) => shapeNo))}::text::integer[],
                  ${float8Array(chunks.map(({ from }) => from))}::float8[],
                  ${plainArray(chunks.map(({ retentionDays }) => retentionDays))}::text::smallint[],
                  ${bytesArray(data)}::text::bytea[]) AS u (shape_no, "from", retention_days, data)
    ON CONFLICT (shape_no, ts, retention_days) DO UPDATE SET data = excluded.data`.execute(tx);
}

/** Deletes the chunks that begin with these spans. */
export async function deleteChunks(tx: Tx, hours: readonly DeviceHour[], spans: readonly HourSpan[]): Promise<void> {
  if (spans.length === 0) return;
  const { rows: c, within } = given(hours, spans);
  await sql`
    DELETE FROM telemetry_chunks k USING ${c} JOIN telemetry_shapes s ON s.device_uid = c.device_uid
     WHERE k.shape_no = s.shape_no AND k.ts = c."from" AND ${within(sql`k.ts`)}`.execute(tx);
}
