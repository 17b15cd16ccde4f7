/** Returns a short name for topics: `Acme Pumps` becomes `acme-pumps`. */
export function slugOf(name: string): string {
  const ascii = name.replaceAll("ß", "ss").normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();
  return ascii
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "")
    .slice(0, 40)
    .replace(/-$/, "");
}
