/** What `deploy/` starts fits the service: its settings, ports, probes and connections. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { promisify } from "node:util";
import { load } from "js-yaml";
import { type Config, parseConfig } from "../../src/config/config.ts";
import { connectionsNeeded } from "../../src/process/part.ts";
import { natsProgram } from "../harness/processes/nats-server.ts";
import { COMPOSE_SECRETS, type ComposeService, mountsOf, readCompose } from "./compose-file.ts";
import { renderChart } from "./helm-template.ts";

const run = promisify(execFile);
const deploy = join(import.meta.dirname, "../../../deploy");
const read = (path: string) => readFileSync(join(deploy, path), "utf8");

const secrets = mkdtempSync(join(tmpdir(), "muster-deploy-"));
after(() => rmSync(secrets, { recursive: true }));
const cluster = readCompose("deploy/compose.cluster.yaml");
const named = (prefix: string) => Object.keys(cluster.services).filter((name) => name.startsWith(prefix));
const nodes = named("muster-");
const targetsOf = (service: ComposeService) => mountsOf(service).map(({ target }) => target);

/** Returns the settings of a node, all of which the service must know. */
function configOf(environment: Record<string, string>): Config {
  const config = parseConfig(environment);
  assert.deepEqual(config.unknownNames, []);
  return config;
}

const DRAWN =
  /^POSTGRES_PASSWORD=\w{48}\nMUSTER_OWNER_PASSWORD=\w{48}\nMUSTER_SERVICE_PASSWORD=\w{48}\nMUSTER_MASTER_KEY=\S{44}\n$/;

test("deploy/cluster/prepare creates the files that compose.cluster.yaml mounts, once, with a valid NATS configuration", async () => {
  await run(join(deploy, "cluster/prepare"), [secrets]);
  const folder = join(secrets, "cluster/secrets");
  const key = readFileSync(join(folder, "muster.nk"), "utf8");
  await run(join(deploy, "cluster/prepare"), [secrets]);
  assert.equal(readFileSync(join(folder, "muster.nk"), "utf8"), key);
  assert.equal(statSync(folder).mode & 0o777, 0o700);
  assert.match(readFileSync(join(secrets, ".env"), "utf8"), DRAWN);
  assert.equal(
    readFileSync(join(folder, "pgbouncer-users.txt"), "utf8"),
    `"muster_service" "${/^MUSTER_SERVICE_PASSWORD=(.*)$/m.exec(readFileSync(join(secrets, ".env"), "utf8"))![1]}"\n`,
  );
  const mounted = Object.values(cluster.services).flatMap(({ volumes = [] }) =>
    volumes.map((volume) => volume.split(":")[0]!),
  );
  for (const source of mounted.filter((each) => each.startsWith("./"))) {
    const [, made] = /^\.\/cluster\/secrets\/(.+)$/.exec(source) ?? [];
    assert.ok(statSync(made ? join(folder, made) : join(deploy, source)).isFile(), source);
  }
  const natsConf = readFileSync(join(folder, "nats.conf"), "utf8");
  assert.match(natsConf, /^jetstream \{\n {2}store_dir: "\/var\/lib\/nats"$/m);
  for (const name of named("nats-")) assert.ok(targetsOf(cluster.services[name]!).includes("/var/lib/nats"), name);
  if (natsProgram === undefined) return;
  const file = join(secrets, "nats.conf");
  // Debian's server does not know this setting.
  writeFileSync(file, natsConf.replaceAll("/etc/nats/tls", folder).replace(/^ *sync_interval.*$/m, ""));
  await run(natsProgram, ["-t", "-c", file], { env: { ...process.env, NATS_SERVER_NAME: "nats-1" } });
});

test("every node of compose.cluster.yaml has settings that the service accepts, and the files that they name", () => {
  assert.equal(nodes.length, 3);
  const balancer = cluster.services["load-balancer"]!;
  const address = (balancer.networks as Record<string, { ipv4_address: string }>).cluster!.ipv4_address;
  for (const name of nodes) {
    const service = cluster.services[name]!;
    const { nats } = configOf(service.environment!);
    assert.deepEqual(
      nats?.servers.map((server) => server.replace(/^.*?\/\/|:\d+$/g, "")),
      named("nats-"),
    );
    for (const file of [nats?.credentialsFile, nats?.caFile]) assert.ok(targetsOf(service).includes(file!), file);
    assert.equal(service.environment!.MUSTER_PROXY_PROTOCOL_FROM, address);
    const { stream } = configOf({ ...service.environment!, MUSTER_INGEST: "stream" });
    assert.deepEqual([stream?.wanted, stream?.replicas, stream?.maxBytes], ["stream", 3, 4 * 1024 ** 3]);
    assert.ok(targetsOf(service).includes("/data"));
    assert.ok(Number.parseInt(service.stop_grace_period!, 10) > 15);
  }
  assert.equal(
    new Set(nodes.flatMap((name) => cluster.services[name]!.volumes!.filter((volume) => volume.endsWith(":/data"))))
      .size,
    3,
  );
  assert.ok(address.startsWith(cluster.networks.cluster!.ipam.config[0]!.subnet.replace(/\.\d+\/24$/, ".")));
});

test("the services of compose.cluster.yaml depend on, mount and join only what exists", () => {
  for (const [name, { depends_on = [], volumes = [], networks = [] }] of Object.entries(cluster.services)) {
    for (const other of Array.isArray(depends_on) ? depends_on : Object.keys(depends_on))
      assert.ok(cluster.services[other], `${name}: ${other}`);
    for (const volume of volumes.filter((each) => !each.startsWith("./")))
      assert.ok(volume.split(":")[0]! in cluster.volumes, `${name}: ${volume}`);
    for (const network of Array.isArray(networks) ? networks : Object.keys(networks))
      assert.ok(cluster.networks[network], `${name}: ${network}`);
  }
});

test("PostgreSQL of compose.cluster.yaml allows PgBouncer's connections and the direct ones of all processes, also while they restart", () => {
  const [, most] = /max_connections=(\d+)/.exec(cluster.services.postgres!.command!.join(" ")) ?? [];
  const workers = Number(cluster.services[nodes[0]!]!.environment!.MUSTER_WORKERS);
  const reserved = 3;
  const pooler = read("cluster/pgbouncer.ini");
  const [, pool] = /^default_pool_size = (\d+)$/m.exec(pooler) ?? [];
  const [, clients] = /^max_client_conn = (\d+)$/m.exec(pooler) ?? [];
  // Each process has one connection that listens. Each service also counts one more worker, the jobs process, and the
  // migration.
  const listening = nodes.length * (workers + 2 + 2);
  assert.ok(Number(pool) + listening + reserved <= Number(most));
  assert.ok(nodes.length * connectionsNeeded(workers + 1) <= Number(clients));
  const { databaseUrl, databaseDirectUrl } = configOf(cluster.services[nodes[0]!]!.environment!);
  assert.equal(new URL(databaseUrl!.reveal()).host, `pgbouncer:${/^listen_port = (\d+)$/m.exec(pooler)![1]}`);
  assert.equal(new URL(databaseDirectUrl!.reveal()).hostname, "postgres");
  assert.match(pooler, /pool_mode = transaction/);
});

test("load balancer and Prometheus of compose.cluster.yaml use every node, at the ports of the service", () => {
  const { mqtt, http, metrics } = parseConfig({});
  const balancer = read("cluster/haproxy.cfg");
  for (const [backend, port] of [
    ["mqtt", mqtt.port],
    ["https", http.port],
  ] as const) {
    const section = balancer.split(/^(?=backend )/m).find((each) => each.startsWith(`backend ${backend}\n`))!;
    const servers = [...section.matchAll(/^ {2}server (\S+) (\S+)$/gm)].map(([, name, address]) => [name, address]);
    assert.deepEqual(
      servers,
      nodes.map((name) => [name, `${name}:${port}`]),
    );
  }
  assert.match(balancer, new RegExp(`default-server check port ${http.port} .*check-send-proxy .*send-proxy-v2`));
  const prometheus = load(read("prometheus/prometheus.yaml")) as {
    rule_files: string[];
    scrape_configs: { job_name: string; static_configs: { targets: string[] }[] }[];
  };
  assert.deepEqual(
    prometheus.scrape_configs[0]!.static_configs[0]!.targets,
    nodes.map((name) => `${name}:${metrics.port}`),
  );
  for (const file of prometheus.rule_files) assert.ok(targetsOf(cluster.services.prometheus!).includes(file), file);
});

// biome-ignore lint/suspicious/noExplicitAny: objects of Kubernetes
type KubernetesObject = any;

const chart = join(deploy, "helm/muster");
const kind = (objects: KubernetesObject[], wanted: string) => objects.find((object) => object.kind === wanted);

/** Returns the environment of the container, with values in place of references to a Secret. */
function environmentOf(deployment: KubernetesObject): Record<string, string> {
  const secret: Record<string, string> = {
    databaseUrl: "postgres://postgres/muster",
    databaseDirectUrl: "postgres://direct/muster",
    masterKey: COMPOSE_SECRETS.MUSTER_MASTER_KEY!,
  };
  const { env } = deployment.spec.template.spec.containers[0];
  return Object.fromEntries(
    env.map(({ name, value, valueFrom }: KubernetesObject) => [name, value ?? secret[valueFrom.secretKeyRef.key]]),
  );
}

const NATS_URL = "tls://nats-0.nats:4222,tls://nats-1.nats:4222";

test("the Helm chart renders without NATS, with it, and with TLS both ways, to nodes whose settings the service accepts", () => {
  for (const clientCertificate of [undefined, false, true]) {
    const url = clientCertificate === undefined ? "" : NATS_URL;
    const settings = { MUSTER_LIMIT_EXPORTS: "4" };
    const deployment = kind(
      renderChart(chart, {
        nats: { url, clientCertificate: clientCertificate ?? false },
        settings,
        proxyProtocolFrom: "10.0.0.0/24",
      }),
      "Deployment",
    );
    const environment = environmentOf(deployment);
    for (const value of Object.values(environment)) assert.equal(typeof value, "string");
    const { nats, limits, workers } = configOf(environment);
    assert.deepEqual([nats?.servers.length, limits.exports, workers], [url ? 2 : undefined, 4, 2]);
    const { containers, volumes } = deployment.spec.template.spec;
    const mounts: { name: string; mountPath: string }[] = containers[0].volumeMounts;
    assert.deepEqual(
      mounts.map(({ name }) => name),
      volumes.map(({ name }: KubernetesObject) => name),
    );
    const ofNats = volumes.find(({ name }: KubernetesObject) => name === "nats");
    const files = [nats?.credentialsFile, nats?.caFile, nats?.certFile, nats?.keyFile].filter(
      (file) => file !== undefined,
    );
    assert.equal(files.length, url ? (clientCertificate ? 4 : 2) : 0);
    assert.deepEqual(
      files,
      (ofNats?.secret.items ?? []).map(({ path }: { path: string }) => `/run/muster/${path}`),
    );
    assert.ok(mounts.some(({ mountPath }) => environment.MUSTER_DATA_DIR!.startsWith(`${mountPath}/`)));
  }
});

test("the Helm chart makes nodes acknowledge from the stream, and use PgBouncer, if its values say so", () => {
  const withValues = (values: object) =>
    configOf(environmentOf(kind(renderChart(chart, { nats: { url: NATS_URL }, ...values }), "Deployment")));
  const plain = withValues({});
  assert.deepEqual([plain.stream?.wanted, plain.databaseDirectUrl], ["direct", undefined]);
  const stream = { enabled: true, bytes: "8589934592", sessionSeconds: "600" };
  for (const [replicas, expected] of [
    ["", 1],
    ["3", 3],
  ] as const) {
    const { stream: used, databaseDirectUrl } = withValues({ stream: { ...stream, replicas }, databaseDirect: true });
    assert.deepEqual([used?.wanted, used?.replicas], ["stream", expected]);
    assert.deepEqual([used?.maxBytes, used?.sessionsMs], [8_589_934_592, 600_000]);
    assert.equal(databaseDirectUrl!.reveal(), "postgres://direct/muster");
  }
});

test("Service, disruption budget and PodMonitor of the Helm chart select its pods, with the ports and probes of the service", () => {
  const objects = renderChart(chart, { podMonitor: { enabled: true } });
  assert.deepEqual(objects.map((object) => object.kind).sort(), [
    "Deployment",
    "Job",
    "NetworkPolicy",
    "NetworkPolicy",
    "PodDisruptionBudget",
    "PodMonitor",
    "Service",
  ]);
  const deployment = kind(objects, "Deployment");
  const { labels } = deployment.spec.template.metadata;
  const selectors = [deployment, kind(objects, "PodDisruptionBudget"), kind(objects, "PodMonitor")].map(
    ({ spec }) => spec.selector.matchLabels,
  );
  for (const selector of [...selectors, kind(objects, "Service").spec.selector]) assert.deepEqual(selector, labels);
  const [container] = deployment.spec.template.spec.containers;
  const { mqtt, http, metrics } = parseConfig({});
  const ports: { name: string; containerPort: number }[] = container.ports;
  assert.deepEqual(Object.fromEntries(ports.map(({ name, containerPort }) => [name, containerPort])), {
    https: http.port,
    mqtts: mqtt.port,
    metrics: metrics.port,
  });
  for (const { targetPort } of kind(objects, "Service").spec.ports)
    assert.ok(ports.some(({ name }) => name === targetPort));
  const probes = [container.startupProbe, container.livenessProbe, container.readinessProbe].map(
    ({ httpGet }) => httpGet,
  );
  assert.deepEqual(
    probes.map(({ path, scheme }) => `${scheme} ${path}`),
    ["HTTPS /healthz", "HTTPS /healthz", "HTTPS /readyz"],
  );
});

test("every value of the Helm chart is used by a template, and the chart has the version of the service", () => {
  const templates = readdirSync(join(chart, "templates"))
    .map((name) => read(`helm/muster/templates/${name}`))
    .join("");
  const used = new Set([...templates.matchAll(/\.Values\.([\w.]+)/g)].map(([, path]) => path!));
  const paths = (values: object, prefix = ""): string[] =>
    Object.entries(values).flatMap(([name, value]) =>
      used.has(`${prefix}${name}`) || typeof value !== "object"
        ? [`${prefix}${name}`]
        : paths(value, `${prefix}${name}.`),
    );
  const values = load(read("helm/muster/values.yaml")) as object;
  assert.deepEqual(new Set(paths(values)), used);
  const { version } = JSON.parse(readFileSync(join(deploy, "../package.json"), "utf8"));
  assert.equal((load(read("helm/muster/Chart.yaml")) as { appVersion: string }).appVersion, version);
});
