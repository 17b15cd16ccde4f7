import { availableParallelism } from "node:os";
import { type Config, ConfigError } from "./config.ts";

const REFUSALS = {
  platform: "several workers share their ports by SO_REUSEPORT, which needs Linux; run one worker here",
  embedded: "the embedded database has one process; set MUSTER_DATABASE_URL to a PostgreSQL, or run one worker",
};

/** The place where the number was given, for messages. */
export type WorkersSource = "MUSTER_WORKERS" | "--workers";

/**
 * Returns the number of serving processes. `auto` is one per core, or one if several are impossible.
 *
 * @throws ConfigError if several are requested but impossible
 */
export function workersOf(
  { workers, databaseUrl }: Pick<Config, "workers" | "databaseUrl">,
  {
    platform = process.platform,
    cores = availableParallelism(),
    source = "MUSTER_WORKERS",
  }: { platform?: string; cores?: number; source?: WorkersSource } = {},
): number {
  const obstacle = platform !== "linux" ? "platform" : databaseUrl === undefined ? "embedded" : undefined;
  if (workers === "auto") return obstacle ? 1 : cores;
  if (workers > 1 && obstacle) throw new ConfigError([`${source}: ${REFUSALS[obstacle]}`]);
  return workers;
}
