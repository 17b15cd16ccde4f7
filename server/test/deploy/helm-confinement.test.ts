/** The rights, peers and secrets of the Helm chart's pods. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { parseConfig } from "../../src/config/config.ts";
import { renderChart } from "./helm-template.ts";

// biome-ignore lint/suspicious/noExplicitAny: objects of Kubernetes
type KubernetesObject = any;

const render = (values: object = {}): KubernetesObject[] =>
  renderChart(join(import.meta.dirname, "../../../deploy/helm/muster"), values as Record<string, unknown>);
const one = (objects: KubernetesObject[], kind: string, name = "muster") =>
  objects.find((object) => object.kind === kind && object.metadata.name === name);
const NATS = { url: "tls://nats-0.nats:4222", clientCertificate: false };

test("no pod runs as root, writes to its root file system, has capabilities or a token, or bypasses seccomp's default", () => {
  const objects = render();
  for (const { kind, spec } of [one(objects, "Deployment"), one(objects, "Job", "muster-migration")]) {
    const pod = spec.template.spec;
    assert.equal(pod.automountServiceAccountToken, false, kind);
    assert.deepEqual(pod.securityContext, {
      runAsNonRoot: true,
      runAsUser: 1000,
      runAsGroup: 1000,
      fsGroup: 1000,
      seccompProfile: { type: "RuntimeDefault" },
    });
    for (const container of pod.containers) {
      assert.deepEqual(container.securityContext, {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ["ALL"] },
      });
      assert.match(container.resources.limits.memory, /^\d+[MG]i$/, kind);
      const writable = container.volumeMounts.filter((mount: KubernetesObject) => !mount.readOnly);
      assert.deepEqual(
        writable.map(({ mountPath }: KubernetesObject) => mountPath),
        ["/data", "/tmp"],
      );
    }
    assert.equal(pod.initContainers, undefined);
  }
});

test("a Job migrates before an installation and an upgrade, with a secret that no node has", () => {
  const objects = render({ secretName: "nodes", migration: { secretName: "owner", serviceRole: "reader" } });
  const job = one(objects, "Job", "muster-migration");
  assert.equal(job.metadata.annotations["helm.sh/hook"], "pre-install,pre-upgrade");
  const pod = job.spec.template;
  const [container] = pod.spec.containers;
  assert.deepEqual(container.args, ["migrate", "--service-role", "reader"]);
  const deployment = one(objects, "Deployment");
  assert.equal(container.image, deployment.spec.template.spec.containers[0].image);
  const secretsOf = (object: KubernetesObject) => [
    ...new Set(
      [...JSON.stringify(object).matchAll(/"secretKeyRef":\{"name":"(\w+)","key":"(\w+)"/g)].map(
        (m) => `${m[1]}.${m[2]}`,
      ),
    ),
  ];
  assert.deepEqual(secretsOf(job), ["owner.databaseUrl"]);
  assert.deepEqual(secretsOf(deployment), ["nodes.databaseUrl", "nodes.masterKey"]);
  assert.notDeepEqual(pod.metadata.labels, one(objects, "Service").spec.selector);
  const environment = Object.fromEntries(
    container.env.map((each: KubernetesObject) => [each.name, each.value ?? "postgres://db/muster"]),
  );
  assert.deepEqual(parseConfig(environment).unknownNames, []);
  assert.equal(one(render({ migration: { enabled: false } }), "Job", "muster-migration"), undefined);
});

test("an existing TLS secret is the HTTPS certificate, mounted so that a renewed one is read", () => {
  const podOf = (values: object) => one(render(values), "Deployment").spec.template.spec;
  const pod = podOf({ tls: { existingSecret: "site" } });
  const [container] = pod.containers;
  const settings = Object.fromEntries(container.env.map(({ name, value }: KubernetesObject) => [name, value]));
  const { secret } = pod.volumes.find(({ name }: KubernetesObject) => name === "tls");
  assert.deepEqual(secret, { secretName: "site", defaultMode: 0o440 });
  const { mountPath, subPath, readOnly } = container.volumeMounts.find(({ name }: KubernetesObject) => name === "tls");
  assert.deepEqual([subPath, readOnly], [undefined, true]);
  const { operatorTls } = parseConfig({
    MUSTER_TLS_CERT_FILE: settings.MUSTER_TLS_CERT_FILE,
    MUSTER_TLS_KEY_FILE: settings.MUSTER_TLS_KEY_FILE,
  });
  // The keys of a Secret of type kubernetes.io/tls.
  assert.deepEqual(operatorTls, { certFile: `${mountPath}/tls.crt`, keyFile: `${mountPath}/tls.key` });
  const without = podOf({});
  assert.doesNotMatch(JSON.stringify(without), /tls\.crt|MUSTER_TLS/);
});

test("cert-manager makes the same secret for the public host", () => {
  const issuerRef = { group: "cert-manager.io", kind: "Issuer", name: "internal" };
  const objects = render({ publicHost: "iot.example.org", tls: { certManager: { enabled: true, issuerRef } } });
  const { spec } = one(objects, "Certificate");
  assert.deepEqual([spec.dnsNames, spec.issuerRef], [["iot.example.org"], issuerRef]);
  const pod = one(objects, "Deployment").spec.template.spec;
  const { secret } = pod.volumes.find(({ name }: KubernetesObject) => name === "tls");
  assert.equal(secret.secretName, spec.secretName);
  assert.match(JSON.stringify(pod.containers[0].env), /MUSTER_TLS_CERT_FILE.*MUSTER_TLS_KEY_FILE/);
  assert.equal(one(render(), "Certificate"), undefined);
});

test("settings may also come from other Secrets and ConfigMaps", () => {
  const containerOf = (values: object) => one(render(values), "Deployment").spec.template.spec.containers[0];
  const extraEnvFrom = [{ secretRef: { name: "mail" } }, { configMapRef: { name: "more" } }];
  assert.deepEqual(containerOf({ extraEnvFrom }).envFrom, extraEnvFrom);
  assert.equal("envFrom" in containerOf({}), false);
});

test("the network policy admits only clients to HTTPS and MQTT, and the monitoring namespace to the metrics", () => {
  const objects = render();
  const { spec } = one(objects, "NetworkPolicy");
  assert.deepEqual(spec.podSelector.matchLabels, one(objects, "Deployment").spec.template.metadata.labels);
  assert.deepEqual(spec.policyTypes, ["Ingress", "Egress"]);
  const monitoring = { namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "monitoring" } } };
  assert.deepEqual(spec.ingress, [
    { ports: [{ port: "mqtts" }, { port: "https" }] },
    { from: [monitoring], ports: [{ port: "metrics" }] },
  ]);
  // A rule without peers would admit every client.
  const { ingress } = one(render({ networkPolicy: { metricsFrom: [] } }), "NetworkPolicy").spec;
  assert.deepEqual(ingress, [spec.ingress[0]]);
});

test("the network policy lets nodes connect to DNS, PostgreSQL, NATS if it is set, mail servers and public webhooks", () => {
  const portsOf = ({ spec }: KubernetesObject) =>
    spec.egress.map(({ ports }: KubernetesObject) => ports.map(({ port }: { port: number }) => port));
  const [dns, postgresql, nats, mail, webhooks] = [[53, 53], [5432, 6432], [4222], [25, 465, 587], [443]];
  assert.deepEqual(portsOf(one(render(), "NetworkPolicy")), [dns, postgresql, mail, webhooks]);
  const postgresOnly = [{ ipBlock: { cidr: "10.1.0.0/16" } }];
  const extraEgress = [{ ports: [{ port: 9000 }] }];
  const objects = render({ nats: NATS, networkPolicy: { postgresql: { to: postgresOnly }, extraEgress } });
  const policy = one(objects, "NetworkPolicy");
  assert.deepEqual(portsOf(policy), [dns, postgresql, nats, mail, webhooks, [9000]]);
  assert.deepEqual(policy.spec.egress[1].to, postgresOnly);
  const [v4] = policy.spec.egress[4].to;
  for (const network of ["10.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.168.0.0/16"])
    assert.ok(v4.ipBlock.except.includes(network), network);
  const migration = one(objects, "NetworkPolicy", "muster-migration");
  assert.deepEqual(portsOf(migration), [dns, postgresql]);
  assert.deepEqual(migration.spec.egress[1].to, postgresOnly);
  const job = one(objects, "Job", "muster-migration");
  assert.deepEqual(migration.spec.podSelector.matchLabels, job.spec.template.metadata.labels);
  // It exists before the Job does.
  assert.ok(Number(migration.metadata.annotations["helm.sh/hook-weight"]) < 0);
  const off = render({ networkPolicy: { enabled: false } });
  assert.equal(off.filter(({ kind }) => kind === "NetworkPolicy").length, 0);
});
