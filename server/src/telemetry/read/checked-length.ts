import { invalidRequest } from "../../lib/request-errors.ts";
import type { Span } from "./series-spans.ts";

/** Returns the length of a range in milliseconds, more than 0. @throws MusterError invalid_request */
export function checkedLength({ from, to }: Span): number {
  const length = to.getTime() - from.getTime();
  if (!(length > 0)) throw invalidRequest("the range must end after it begins", "to");
  return length;
}
