import { invalidRequest } from "../lib/request-errors.ts";

/** The position of a stream: its cursors in the events and in the telemetry. */
export interface LivePosition {
  events: string;
  telemetry: string;
}

const CURSOR = /^(\d{1,19}\.\d{1,18})\.(\d{1,18})$/;

export function toLiveCursor({ events, telemetry }: LivePosition): string {
  return `${events}.${telemetry}`;
}

/** @throws {MusterError} invalid_request unless `text` has the form of a cursor */
export function parseLiveCursor(text: string): LivePosition {
  const [, events, telemetry] = CURSOR.exec(text) ?? [];
  if (events === undefined || telemetry === undefined)
    throw invalidRequest("the cursor must be one that came with an event");
  return { events, telemetry };
}
