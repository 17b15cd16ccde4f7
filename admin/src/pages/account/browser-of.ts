const BROWSERS: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/Edg\//, "Edge"],
  [/OPR\//, "Opera"],
  [/Firefox\//, "Firefox"],
  [/Chrome\//, "Chrome"],
  [/Safari\//, "Safari"],
];
const SYSTEMS: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/Android/, "Android"],
  [/iPhone|iPad/, "iOS"],
  [/Windows/, "Windows"],
  [/Mac OS X/, "macOS"],
  [/Linux/, "Linux"],
];

/** Names a browser and its system by the `User-Agent`, well enough for users to recognize their own. */
export function browserOf(userAgent: string): string {
  const find = (known: typeof BROWSERS) => known.find(([pattern]) => pattern.test(userAgent))?.[1];
  const [browser, system] = [find(BROWSERS), find(SYSTEMS)];
  if (!browser) return userAgent.slice(0, 60) || "Unknown program";
  return system ? `${browser} on ${system}` : browser;
}
