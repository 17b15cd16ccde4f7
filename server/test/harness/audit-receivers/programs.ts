import { existsSync, readdirSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Files, Program } from "./receiver.ts";

/** The folder in which the scripts of `tools/audit-receivers` install. */
const INSTALLED = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "muster");
const SYSLOG_NG = join(INSTALLED, "syslog-ng");

const lineIsEntry = (line: string) => (line.trim().startsWith("{") ? line : undefined);
const syslogAt = (port: number) => `syslogs://localhost:${port}`;

function firstOf(...paths: string[]): string | undefined {
  return paths.find((path) => existsSync(path));
}

const rsyslogd = firstOf("/usr/sbin/rsyslogd", "/usr/bin/rsyslogd");

/** rsyslog, if it is installed (Debian: rsyslog rsyslog-openssl). */
export const rsyslog: Program | undefined =
  rsyslogd === undefined
    ? undefined
    : {
        kind: "syslog",
        target: syslogAt,
        async configure(files) {
          const configuration = join(files.folder, "rsyslog.conf");
          await writeFile(configuration, rsyslogConf(files));
          return { command: rsyslogd, args: ["-n", "-f", configuration, "-i", join(files.folder, "pid")] };
        },
        entryIn: lineIsEntry,
      };

function rsyslogConf({ folder, certFile: cert, keyFile: key, port, received }: Files): string {
  return `
global(workDirectory="${folder}" maxMessageSize="64k" defaultNetstreamDriver="ossl"
  defaultNetstreamDriverCAFile="${cert}" defaultNetstreamDriverCertFile="${cert}" defaultNetstreamDriverKeyFile="${key}")
module(load="imtcp" streamDriver.name="ossl" streamDriver.mode="1" streamDriver.authMode="anon")
template(name="text" type="string" string="%msg%\\n")
input(type="imtcp" port="${port}" address="127.0.0.1")
action(type="omfile" file="${received}" template="text")
`;
}

/** syslog-ng, if `tools/audit-receivers/install-syslog-ng` has unpacked it. */
export const syslogNg: Program | undefined = existsSync(join(SYSLOG_NG, "usr/sbin/syslog-ng"))
  ? {
      kind: "syslog",
      target: syslogAt,
      async configure(files) {
        const { folder } = files;
        const configuration = join(folder, "syslog-ng.conf");
        await writeFile(configuration, syslogNgConf(files));
        const state = ["persist-file", "pidfile", "control"].map((name) => `--${name}=${join(folder, name)}`);
        const libraries = join(SYSLOG_NG, "usr/lib/syslog-ng");
        const version = readdirSync(libraries).find((name) => /^\d/.test(name))!;
        const modules = `--module-path=${join(libraries, version)}`;
        return {
          command: join(SYSLOG_NG, "usr/sbin/syslog-ng"),
          args: ["-F", "--no-caps", `--cfgfile=${configuration}`, modules, ...state],
          env: { LD_LIBRARY_PATH: libraryFolders(libraries).join(":") },
        };
      },
      entryIn: lineIsEntry,
    }
  : undefined;

function libraryFolders(own: string): string[] {
  const parents = ["usr/lib", "lib"].map((part) => join(SYSLOG_NG, part)).filter((path) => existsSync(path));
  const found = parents.flatMap((parent) =>
    readdirSync(parent)
      .filter((name) => name.endsWith("-gnu"))
      .map((name) => join(parent, name)),
  );
  return [own, ...found];
}

function syslogNgConf({ certFile, keyFile, port, received }: Files): string {
  return `@version: 3.35
options { keep-hostname(yes); log-msg-size(65536); };
source tls { syslog(ip("127.0.0.1") port(${port}) transport("tls")
  tls(key-file("${keyFile}") cert-file("${certFile}") peer-verify(optional-untrusted))); };
destination received { file("${received}" template("$MSG\\n")); };
log { source(tls); destination(received); flags(flow-control); };
`;
}

const collectorPath = join(INSTALLED, "bin/otel-collector");

/** An OpenTelemetry collector, if `tools/audit-receivers/build-collector` has built it. */
export const collector: Program | undefined = existsSync(collectorPath)
  ? {
      kind: "otlp",
      target: (port) => `https://localhost:${port}/v1/logs`,
      async configure(files) {
        const configuration = join(files.folder, "collector.yaml");
        await writeFile(configuration, collectorConf(files));
        return { command: collectorPath, args: ["--config", `file:${configuration}`] };
      },
      entryIn: (line) => /^Body: Str\((\{.*\})\)$/.exec(line)?.[1],
    }
  : undefined;

function collectorConf({ certFile, keyFile, port }: Files): string {
  return `
receivers:
  otlp:
    protocols:
      http: { endpoint: "127.0.0.1:${port}", tls: { cert_file: "${certFile}", key_file: "${keyFile}" } }
exporters:
  debug: { verbosity: detailed, use_internal_logger: false }
service:
  telemetry: { metrics: { level: none } }
  pipelines:
    logs: { receivers: [otlp], exporters: [debug] }
`;
}
