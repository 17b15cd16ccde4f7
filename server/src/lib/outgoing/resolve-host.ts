import { Resolver } from "node:dns/promises";
import { readFile } from "node:fs/promises";
import { isIP } from "node:net";
import { SECOND } from "../clock.ts";
import type { Resolve } from "./resolve-target.ts";

/**
 * The timeout for one question to one server; a second try takes twice as long. Together they stay below the time of
 * one webhook call.
 */
const TIMEOUT_MS = 2 * SECOND;
const TRIES = 2;
const LOOPBACK = ["127.0.0.1", "::1"];

/**
 * Creates a resolver that uses c-ares. Unlike with `dns.lookup`, a silent name server occupies no thread of the pool
 * that files, keys and passwords need. `localhost` and names below it are this machine (RFC 6761 6.3). Then the hosts
 * file decides, then the machine's name servers, which are asked for exactly this name without search domains.
 *
 * @param servers for tests; defaults to the machine's
 */
export function createResolve({
  hostsFile = "/etc/hosts",
  servers,
}: {
  hostsFile?: string;
  servers?: string[];
} = {}): Resolve {
  return async (host, signal) => {
    const name = host.toLowerCase().replace(/\.$/, "");
    if (name === "localhost" || name.endsWith(".localhost")) return LOOPBACK;
    const listed = hostsEntries(await readFile(hostsFile, "utf8").catch(() => ""), name);
    return listed.length > 0 ? listed : await ask(name, servers, signal);
  };
}

async function ask(name: string, servers: string[] | undefined, signal: AbortSignal): Promise<string[]> {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
  if (servers) resolver.setServers(servers);
  const cancel = () => resolver.cancel();
  signal.addEventListener("abort", cancel, { once: true });
  try {
    const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const addresses = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
    const [failure] = answers.flatMap((answer) => (answer.status === "rejected" ? [answer.reason as Error] : []));
    if (addresses.length === 0 && failure) throw failure;
    return addresses;
  } finally {
    signal.removeEventListener("abort", cancel);
  }
}

/** Returns the addresses of a name in a hosts file. */
export function hostsEntries(text: string, name: string): string[] {
  return text
    .split("\n")
    .map((line) => line.replace(/#.*/, "").trim().split(/\s+/))
    .filter(([address = "", ...names]) => isIP(address) !== 0 && names.some((each) => each.toLowerCase() === name))
    .map(([address]) => address!);
}
