import { useCase } from "../access/access.ts";
import type { Database } from "../db/database.ts";
import type { Clock } from "../lib/clock.ts";
import { isUuid } from "../lib/ids.ts";
import type { Limits } from "../lib/limits/limits.ts";
import { invalidRequest, notFound } from "../lib/request-errors.ts";
import { formatOf } from "./parse/format.ts";
import { findPayloadSettings } from "./parse/format-store.ts";
import { parsePayload } from "./parse/payload.ts";
import type { Rejection } from "./parse/rejection.ts";
import type { MetricValue } from "./reading.ts";

/** The encodings of a payload in a request. */
export const PAYLOAD_ENCODINGS = ["text", "base64", "hex"] as const;

export interface TriedPayload {
  payload: string;
  encoding: (typeof PAYLOAD_ENCODINGS)[number];
}

/** The values of a payload that would be stored, and the others with the reason. */
export interface PayloadTrial {
  payloadBytes: number;
  /** The readings in their order; a reading without a device time has the present time. */
  readings: { at: Date; timeReplaced: boolean; values: { metric: string; value: MetricValue }[] }[];
  /** `null` if everything would be stored. */
  rejected: Required<Omit<Rejection, "cause">> | null;
}

interface TryPayloadDeps {
  database: Pick<Database, "db">;
  clock: Clock;
  limits: Pick<Limits, "readingsPerMessage">;
}

/**
 * Decodes a payload as ingest decodes it for devices of a type, without storing anything.
 *
 * @throws MusterError not_found; invalid_request if the text is not in the given encoding
 */
export const tryPayload = useCase(
  { role: "viewer" },
  async (deps: TryPayloadDeps, { tenantId }, typeId: string, tried: TriedPayload): Promise<PayloadTrial> => {
    const { database, clock, limits } = deps;
    const settings = isUuid(typeId) ? await findPayloadSettings(database.db, tenantId, typeId) : undefined;
    if (settings === undefined) throw notFound("device type");
    const [payload, now] = [bytesOf(tried), clock.now()];
    const parsed = parsePayload(payload, now.getTime(), limits.readingsPerMessage, formatOf(settings));
    return {
      payloadBytes: payload.length,
      readings: parsed.readings.map(({ time, timeReplaced, metrics, values }) => ({
        at: time === undefined ? now : new Date(time / 1000),
        timeReplaced,
        values: metrics.map((metric, index) => ({ metric, value: values[index]! })),
      })),
      rejected: parsed.rejected === undefined ? null : rejectedOf(parsed.rejected),
    };
  },
);

function rejectedOf({ reason, problems = [], problemCount = problems.length }: Rejection) {
  return { reason, problems, problemCount };
}

/** Decodes the text; line breaks and spaces in base64 and hexadecimal are ignored. */
function bytesOf({ payload, encoding }: TriedPayload): Buffer {
  if (encoding === "text") return Buffer.from(payload, "utf8");
  const digits = payload.replace(/\s/g, "");
  const isValid = encoding === "hex" ? /^([0-9a-f]{2})*$/i : /^[0-9a-z+/]*={0,2}$/i;
  if (!isValid.test(digits)) throw invalidRequest(`the payload is not ${NAMES[encoding]}`, "payload");
  return Buffer.from(digits, encoding);
}

const NAMES = { base64: "base64", hex: "hexadecimal, two digits a byte" } as const;
