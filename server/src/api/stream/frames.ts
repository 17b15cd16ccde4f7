/** One message of an event stream (HTML Living Standard 9.2). */
export interface Frame {
  /** Absent for what is an event of the tenant. */
  event?: "ready" | "reset" | "end";
  /** Where to continue after it. */
  id?: string;
  data: object;
}

/** JSON holds no line break, so that a message has one line of data. */
export function frameText({ event, id, data }: Frame): string {
  const lines = [];
  if (event !== undefined) lines.push(`event: ${event}`);
  if (id !== undefined) lines.push(`id: ${id}`);
  lines.push(`data: ${JSON.stringify(data)}`);
  return `${lines.join("\n")}\n\n`;
}

/** Ignored by clients; keeps a quiet stream open. */
export const COMMENT = ":\n\n";
