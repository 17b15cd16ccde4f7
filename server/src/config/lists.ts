import { z } from "zod";
import { type AddressRange, addressRange } from "../lib/address.ts";

/** Splits a comma-separated list into its entries. */
export function listed(text: string): string[] {
  return text
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry.length > 0);
}

function toRanges(entries: string[], context: z.RefinementCtx): AddressRange[] {
  return entries.flatMap((entry) => {
    const range = addressRange(entry);
    if (!range) context.addIssue(`has ${entry}, which is neither an address nor a range like 10.0.0.0/8`);
    return range ? [range] : [];
  });
}

export const addressRanges = z.string().transform(listed).transform(toRanges).default([]);

function checkOrigins(origins: string[], context: z.RefinementCtx): void {
  for (const origin of origins) {
    const message = originProblem(origin);
    if (message) context.addIssue({ code: "custom", message });
  }
}

function originProblem(origin: string): string | undefined {
  if (origin === "*")
    return "must list origins: with *, every page on the web could use an API key that it has obtained";
  const url = URL.canParse(origin) ? new URL(origin) : undefined;
  if (url && /^https?:$/.test(url.protocol) && url.origin === origin && !origin.includes("*")) return undefined;
  return `has ${origin}, which is not an origin such as https://console.example (scheme, host and port, no path)`;
}

export const webOrigins = z.string().transform(listed).superRefine(checkOrigins).default([]);
