/** One message of an event stream (HTML Living Standard 9.2). */
export interface Frame {
  /** Absent for an event of the tenant. */
  event?: "ready" | "reset" | "end";
  /** The cursor after which to continue. */
  id?: string;
  data: object;
}

/** Formats a message. JSON contains no line breaks, so a message has one line of data. */
export function frameText({ event, id, data }: Frame): string {
  const lines = [];
  if (event !== undefined) lines.push(`event: ${event}`);
  if (id !== undefined) lines.push(`id: ${id}`);
  lines.push(`data: ${JSON.stringify(data)}`);
  return `${lines.join("\n")}\n\n`;
}

/** A comment, which clients ignore; it keeps a quiet stream open. */
export const COMMENT = ":\n\n";
