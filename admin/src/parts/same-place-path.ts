/**
 * Returns the path of `next` if it is an address of this service, otherwise `/`: a link to the sign-in must not lead
 * elsewhere.
 */
export function samePlacePath(next: unknown, origin: string): string {
  if (typeof next !== "string" || !next.startsWith("/") || !URL.canParse(next, origin)) return "/";
  const { origin: found, pathname, search, hash } = new URL(next, origin);
  return found === origin && !pathname.startsWith("//") && !pathname.startsWith("/sign-in")
    ? pathname + search + hash
    : "/";
}
