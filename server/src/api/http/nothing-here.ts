import { Refusal } from "../problem.ts";

/** Returns the refusal for an address without a route. */
export function nothingHere(): Refusal {
  return new Refusal("not_found", "there is nothing at this address", { middleware: "router" });
}
