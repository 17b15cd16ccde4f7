import { Refusal } from "../problem.ts";

/** For an address that no route has. */
export function nothingHere(): Refusal {
  return new Refusal("not_found", "there is nothing at this address", { middleware: "router" });
}
