import { spawn } from "node:child_process";
import { createHash, generateKeyPairSync, type KeyObject, randomUUID, sign } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newIssuer } from "../../load/certificates.ts";
import { openHttps } from "../../load/https-client.ts";
import { until } from "../../load/measure.ts";
import { end, freePort } from "../../load/processes.ts";
import { buildOnce, programOnPath } from "./build-once.ts";

/** The version that the row was written for; Go builds it where no `step-ca` is on the PATH. */
const VERSION = "0.28.4";
const PROVISIONER = "bench";

/** step-ca with its own embedded database (Badger), and one provisioner, for which `tokenFor` makes one-time tokens. */
export type StepCa = Awaited<ReturnType<typeof startStepCa>>;

/** @throws {@link Skip} without step-ca and Go */
export async function startStepCa() {
  const program = findProgram();
  const folder = mkdtempSync(join(tmpdir(), "muster-bench-step-ca-"));
  const port = await freePort();
  const provisioner = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const kid = createHash("sha256").update(randomUUID()).digest("base64url");
  const jwk = provisioner.publicKey.export({ format: "jwk" });
  const ca = writeAuthority(folder, port, { ...jwk, kid, alg: "ES256", use: "sig" });
  const child = spawn(program, [join(folder, "ca.json")], { cwd: folder, stdio: "ignore" });
  const https = { port, ca };
  const client = await until("step-ca", 30, () => openHttps(https).catch(() => undefined));
  client.close();
  return {
    pid: child.pid!,
    https,
    tokenFor: (subject: string) => oneTimeToken(provisioner.privateKey, kid, port, subject),
    stop: async () => {
      await end(child);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Writes keys, certificates and configuration, and returns the root as PEM. */
function writeAuthority(folder: string, port: number, key: object): string {
  const { root, intermediate } = newIssuer();
  const write = (name: string, content: string) => {
    writeFileSync(join(folder, name), content, { mode: 0o600 });
    return join(folder, name);
  };
  const rootPem = root.certificatePem;
  const config = {
    root: write("root.pem", rootPem),
    crt: write("intermediate.pem", intermediate.certificatePem),
    key: write("intermediate.key", intermediate.privateKey.export({ type: "sec1", format: "pem" }).toString()),
    address: `127.0.0.1:${port}`,
    dnsNames: ["localhost"],
    logger: { format: "text" },
    db: { type: "badgerv2", dataSource: join(folder, "db") },
    authority: {
      provisioners: [
        { type: "JWK", name: PROVISIONER, key, claims: { maxTLSCertDuration: "720h", defaultTLSCertDuration: "720h" } },
      ],
    },
  };
  write("ca.json", JSON.stringify(config));
  return rootPem;
}

/** Returns a JWT of the provisioner, valid once within an hour. */
function oneTimeToken(key: KeyObject, kid: string, port: number, subject: string): string {
  const seconds = Math.floor(Date.now() / 1000);
  const claims = {
    iss: PROVISIONER,
    aud: `https://localhost:${port}/1.0/sign`,
    sub: subject,
    sans: [subject],
    jti: randomUUID(),
    iat: seconds,
    nbf: seconds - 60,
    exp: seconds + 3000,
  };
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const signed = `${part({ alg: "ES256", kid, typ: "JWT" })}.${part(claims)}`;
  return `${signed}.${sign("sha256", Buffer.from(signed), { key, dsaEncoding: "ieee-p1363" }).toString("base64url")}`;
}

function findProgram(): string {
  return (
    programOnPath("step-ca") ??
    buildOnce({
      program: "step-ca",
      version: VERSION,
      builder: "go",
      command: (folder) => ({
        args: ["install", `github.com/smallstep/certificates/cmd/step-ca@v${VERSION}`],
        env: { GOBIN: join(folder, "bin"), CGO_ENABLED: "0" },
      }),
    })
  );
}
