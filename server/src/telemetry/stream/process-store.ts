import { sql } from "kysely";
import type { Db } from "../../db/database.ts";

/** The way of messages in a process: into the database, into the stream, or neither during a change. */
export type Way = "direct" | "stream" | "none";

export interface ProcessState {
  id: string;
  /** The value of `MUSTER_INGEST`. */
  wanted: "direct" | "stream";
  way: Way;
}

/** The decision that a process receives when it reports its way. */
export interface Decision {
  /**
   * The target of all processes: the stream, as long as any of them wants it or it contains messages. A process on the
   * other way must leave it.
   */
  target: "direct" | "stream";
  /** The way that its messages may take now, as recorded. */
  way: Way;
  /** The number of running processes. */
  processes: number;
  /** The rank of this process among them, from 0. */
  rank: number;
  /** Whether a stream has been used and may contain messages. */
  isStreamUsed: boolean;
  /** Whether any process, this one included, appends to it. */
  isAppended: boolean;
}

/**
 * The known content of the stream: possibly messages; nothing; or nothing permanently, since no process appends any
 * more.
 */
export type Contents = "messages" | "nothing" | "nothing more";

/** Serializes changes of a way. */
const WAY_LOCK = sql.lit(1_937_010_030);
/** A process not seen for this long does not count. */
const SEEN = sql.lit("5 seconds");
/** A process not seen for this long is removed, and counts as a new one if it returns. */
const FORGOTTEN = sql.lit("1 hour");

/**
 * Records that a process is running, and decides the way of its messages. No process may use one way while another uses
 * the other. `state.way` is the way in use, or `none` once all messages on the former way are settled.
 *
 * @param contents the content of the stream
 */
export async function recordProcess(db: Db, state: ProcessState, contents: Contents): Promise<Decision> {
  return await db.transaction().execute(async (tx) => {
    await sql`SELECT pg_advisory_xact_lock(${WAY_LOCK})`.execute(tx);
    await sql`
      INSERT INTO stream_processes (id, wanted, way, seen_at) VALUES (${state.id}, ${state.wanted}, ${state.way}, clock_timestamp())
      ON CONFLICT (id) DO UPDATE SET way = excluded.way, seen_at = excluded.seen_at`.execute(tx);
    await sql`DELETE FROM stream_processes WHERE seen_at < clock_timestamp() - ${FORGOTTEN}::interval`.execute(tx);
    const { rows } = await sql<ProcessState & { used: boolean }>`
      SELECT id, wanted, way, EXISTS (SELECT FROM stream_partitions WHERE stream_id IS NOT NULL) AS used
        FROM stream_processes WHERE seen_at >= clock_timestamp() - ${SEEN}::interval ORDER BY id`.execute(tx);
    const isStreamUsed = rows.some(({ used }) => used);
    const { target, way } = decideWay(state, rows, isStreamUsed ? contents : "nothing more");
    if (way !== state.way) await sql`UPDATE stream_processes SET way = ${way} WHERE id = ${state.id}`.execute(tx);
    if (way === "direct" && isStreamUsed) await forgetStream(tx);
    const rank = rows.findIndex(({ id }) => id === state.id);
    const isAppended = way === "stream" || rows.some((row) => row.id !== state.id && row.way === "stream");
    return { target, way, processes: rows.length, rank, isStreamUsed, isAppended };
  });
}

/** @param processes all running processes, including this one */
export function decideWay(
  own: Pick<ProcessState, "way">,
  processes: readonly Pick<ProcessState, "wanted" | "way">[],
  contents: Contents,
): Pick<Decision, "target" | "way"> {
  const isStream = contents === "messages" || processes.some(({ wanted }) => wanted === "stream");
  const [target, other] = isStream ? (["stream", "direct"] as const) : (["direct", "stream"] as const);
  const mayChange =
    own.way === "none" && !processes.some(({ way }) => way === other) && (isStream || contents === "nothing more");
  return { target, way: mayChange ? target : own.way };
}

/** Detaches the partitions from an empty stream that no process uses, so that it may be deleted. */
async function forgetStream(tx: Db): Promise<void> {
  await sql`UPDATE stream_partitions SET stream_id = NULL, owner_id = NULL, stored_sequence = 0, epoch = epoch + 1`.execute(
    tx,
  );
  await sql`DELETE FROM stream_progress`.execute(tx);
}

export async function forgetProcess(db: Db, id: string): Promise<void> {
  await sql`DELETE FROM stream_processes WHERE id = ${id}`.execute(db);
}

/** Checks whether any process acknowledges messages that wait in the stream. */
export async function isStreamInUse(db: Db): Promise<boolean> {
  const { rows } = await sql<{ used: boolean }>`
    SELECT EXISTS (SELECT FROM stream_processes
      WHERE way = 'stream' AND seen_at >= clock_timestamp() - interval '1 minute') AS used`.execute(db);
  return rows[0]!.used;
}

/** Returns the milliseconds since a partition was last caught up, for the one that lags most; null if one never was. */
export async function uncaughtMs(db: Db): Promise<number | null> {
  const { rows } = await sql<{ ms: number | null }>`
    SELECT CASE WHEN bool_and(caught_up_at IS NOT NULL)
      THEN greatest(0, extract(epoch FROM clock_timestamp() - min(caught_up_at)) * 1000) END::float8 AS ms
      FROM stream_partitions`.execute(db);
  return rows[0]!.ms;
}

/**
 * Checks whether the stream may contain messages that arrived more than a minute ago and will still be stored. An
 * installation that has left NATS keeps the id of its last stream; it does not count once no process with the stream
 * has run for an hour.
 */
export async function isStreamBehind(db: Db): Promise<boolean> {
  const { rows } = await sql<{ behind: boolean | null }>`
    SELECT bool_or(stream_id IS NOT NULL)
           AND bool_or(caught_up_at IS NULL OR caught_up_at < clock_timestamp() - interval '1 minute')
           AND EXISTS (SELECT FROM stream_processes WHERE seen_at >= clock_timestamp() - ${FORGOTTEN}::interval) AS behind
      FROM stream_partitions`.execute(db);
  return rows[0]!.behind === true;
}
