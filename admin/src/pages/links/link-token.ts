import { useLocation } from "@tanstack/react-router";

/** What follows `#` in a link that works once; no browser sends it to the service. */
export function useLinkToken(): string {
  return useLocation().hash.replace(/^#/, "");
}
