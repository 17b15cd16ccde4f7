import { invalidRequest } from "../lib/request-errors.ts";

/** A position in the order of events: the transaction, then the number of the event in it. */
export interface Place {
  xid: string;
  seq: string;
}

const CURSOR = /^(\d{1,19})\.(\d{1,18})$/;

export function toCursor({ xid, seq }: Place): string {
  return `${xid}.${seq}`;
}

/** @throws {MusterError} invalid_request for a text that is not a cursor */
export function fromCursor(text: string): Place {
  const [, xid, seq] = CURSOR.exec(text) ?? [];
  if (xid === undefined || seq === undefined) throw invalidRequest("the cursor must be one that came with an event");
  return { xid, seq };
}
