import { invalidRequest } from "../lib/request-errors.ts";

/** How far somebody has been told: the place in the events, and that in the telemetry. */
export interface LivePlace {
  events: string;
  telemetry: string;
}

const CURSOR = /^(\d{1,19}\.\d{1,18})\.(\d{1,18})$/;

export function toLiveCursor({ events, telemetry }: LivePlace): string {
  return `${events}.${telemetry}`;
}

/** @throws MusterError invalid_request for what no cursor of ours looks like */
export function fromLiveCursor(text: string): LivePlace {
  const [, events, telemetry] = CURSOR.exec(text) ?? [];
  if (events === undefined || telemetry === undefined)
    throw invalidRequest("the cursor must be one that came with an event");
  return { events, telemetry };
}
