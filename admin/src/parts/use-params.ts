import { useParams } from "@tanstack/react-router";

/** Returns the parts of the address that the route names: `$id`. */
export function usePathParams<Name extends string>(): Record<Name, string> {
  return useParams({ strict: false }) as Record<Name, string>;
}
