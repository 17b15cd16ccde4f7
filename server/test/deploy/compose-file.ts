import { readFileSync } from "node:fs";
import { join } from "node:path";
import { load } from "js-yaml";

const root = join(import.meta.dirname, "../../..");

/** A service of a Compose file, as far as our tests read it. */
export interface ComposeService {
  image: string;
  build?: string;
  environment?: Record<string, string>;
  command?: string[];
  entrypoint?: string[];
  volumes?: string[];
  tmpfs?: string[];
  depends_on?: Record<string, { condition: string }> | string[];
  networks?: string[] | Record<string, { ipv4_address: string }>;
  stop_grace_period?: string;
  restart?: string;
  user?: string;
  read_only?: boolean;
  cap_drop?: string[];
  cap_add?: string[];
  privileged?: boolean;
  security_opt?: string[];
  mem_limit?: string;
}

export interface ComposeFile {
  services: Record<string, ComposeService>;
  networks: Record<string, { ipam: { config: { subnet: string }[] } }>;
  volumes: Record<string, unknown>;
}

/** Values that a test generates in place of `.env`. */
export const COMPOSE_SECRETS: Record<string, string> = {
  POSTGRES_PASSWORD: "superuser-secret",
  MUSTER_OWNER_PASSWORD: "owner-secret",
  MUSTER_SERVICE_PASSWORD: "service-secret",
  MUSTER_MASTER_KEY: Buffer.alloc(32, 7).toString("base64"),
};

/**
 * Reads a Compose file and replaces `${NAME:-default}` and `${NAME:?message}`.
 * @param path relative to the root of the repository
 */
export function readCompose(path: string): ComposeFile {
  const text = readFileSync(join(root, path), "utf8");
  const filled = text.replace(
    /\$\{(\w+):([-?])([^}]*)\}/g,
    (_, name, kind, rest) => COMPOSE_SECRETS[name] ?? (kind === "-" ? rest : ""),
  );
  return load(filled) as ComposeFile;
}

/** Returns where a volume is mounted in the container, and in which mode. */
export function mountsOf({ volumes = [] }: ComposeService): { source: string; target: string; readOnly: boolean }[] {
  return volumes.map((volume) => {
    const [source, target, mode] = volume.split(":");
    return { source: source!, target: target!, readOnly: mode === "ro" };
  });
}
