/** What operators add to the Helm chart's pods, and the objects around them. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { load } from "js-yaml";
import { renderChart } from "./helm-template.ts";

// biome-ignore lint/suspicious/noExplicitAny: objects of Kubernetes
type KubernetesObject = any;

const helm = join(import.meta.dirname, "../../../deploy/helm");
const render = (values: object = {}): KubernetesObject[] =>
  renderChart(join(helm, "muster"), values as Record<string, unknown>);
const one = (objects: KubernetesObject[], kind: string, name = "muster") =>
  objects.find((object) => object.kind === kind && object.metadata.name === name);
const podOf = (values: object) => one(render(values), "Deployment").spec.template.spec;

test("additional variables and volumes reach the nodes only; pull secrets and tolerations reach the migration as well", () => {
  const extra = {
    imagePullSecrets: [{ name: "registry" }],
    nodeSelector: { pool: "iot" },
    tolerations: [{ key: "iot", operator: "Exists" }],
    affinity: { nodeAffinity: {} },
    priorityClassName: "iot",
    serviceAccount: { name: "muster-node" },
    extraEnv: [{ name: "MUSTER_LOG_LEVEL", value: "debug" }],
    extraVolumes: [{ name: "authority", configMap: { name: "authority" } }],
    extraVolumeMounts: [{ name: "authority", mountPath: "/run/authority", readOnly: true }],
  };
  const objects = render(extra);
  const node = one(objects, "Deployment").spec.template.spec;
  const migration = one(objects, "Job", "muster-migration").spec.template.spec;
  for (const { imagePullSecrets, nodeSelector, tolerations } of [node, migration]) {
    const { imagePullSecrets: secrets, nodeSelector: selector, tolerations: tolerated } = extra;
    assert.deepEqual([imagePullSecrets, nodeSelector, tolerations], [secrets, selector, tolerated]);
  }
  const own = [node.affinity, node.serviceAccountName, node.priorityClassName];
  assert.deepEqual(own, [extra.affinity, "muster-node", "iot"]);
  assert.deepEqual(node.containers[0].env.at(-1), extra.extraEnv[0]);
  assert.deepEqual(node.volumes.at(-1), extra.extraVolumes[0]);
  assert.deepEqual(node.containers[0].volumeMounts.at(-1), extra.extraVolumeMounts[0]);
  assert.doesNotMatch(JSON.stringify(migration), /authority|MUSTER_LOG_LEVEL|muster-node/);
});

test("the migration gets variables and volumes of its own, such as the authority of PostgreSQL's certificate", () => {
  const extraEnv = [{ name: "NODE_EXTRA_CA_CERTS", value: "/run/authority/ca.pem" }];
  const extraVolumes = [{ name: "authority", configMap: { name: "authority" } }];
  const extraVolumeMounts = [{ name: "authority", mountPath: "/run/authority", readOnly: true }];
  const objects = render({ migration: { extraEnv, extraVolumes, extraVolumeMounts } });
  const pod = one(objects, "Job", "muster-migration").spec.template.spec;
  assert.deepEqual(pod.containers[0].env.at(-1), extraEnv[0]);
  assert.deepEqual(pod.containers[0].volumeMounts.at(-1), extraVolumeMounts[0]);
  assert.deepEqual(pod.volumes.at(-1), extraVolumes[0]);
  assert.doesNotMatch(JSON.stringify(podOf({ migration: { extraEnv } })), /NODE_EXTRA_CA_CERTS/);
});

test("nodes and migration run the same image, by its digest if one is given", () => {
  const digest = `sha256:${"a".repeat(64)}`;
  const imagesOf = (image: object) => {
    const objects = render({ image: { repository: "registry.example/muster", ...image } });
    const pods = [one(objects, "Deployment"), one(objects, "Job", "muster-migration")];
    return new Set(pods.map(({ spec }) => spec.template.spec.containers[0].image));
  };
  assert.deepEqual(imagesOf({ tag: "1.2.3" }), new Set(["registry.example/muster:1.2.3"]));
  assert.deepEqual(imagesOf({ tag: "1.2.3", digest }), new Set([`registry.example/muster@${digest}`]));
});

test("nodes are spread over machines, and over what the operator names, always among themselves", () => {
  const [constraint] = podOf({}).topologySpreadConstraints;
  const { labels } = one(render(), "Deployment").spec.template.metadata;
  assert.equal(constraint.topologyKey, "kubernetes.io/hostname");
  assert.deepEqual(constraint.labelSelector.matchLabels, labels);
  const zone = { maxSkew: 1, topologyKey: "topology.kubernetes.io/zone", whenUnsatisfiable: "DoNotSchedule" };
  const [own] = podOf({ topologySpreadConstraints: [zone] }).topologySpreadConstraints;
  assert.deepEqual(own, { ...zone, labelSelector: { matchLabels: labels } });
  assert.equal("topologySpreadConstraints" in podOf({ topologySpreadConstraints: [] }), false);
});

test("a service account is created only if it is asked for, without a token", () => {
  assert.equal(one(render(), "ServiceAccount"), undefined);
  assert.equal("serviceAccountName" in podOf({}), false);
  const annotations = { "iam.example/role": "muster" };
  const objects = render({ serviceAccount: { create: true, annotations } });
  const account = one(objects, "ServiceAccount");
  assert.deepEqual([account.metadata.annotations, account.automountServiceAccountToken], [annotations, false]);
  assert.equal(one(objects, "Deployment").spec.template.spec.serviceAccountName, "muster");
});

test("labels and annotations of pods leave their selectors alone", () => {
  const objects = render({ podLabels: { team: "iot" }, podAnnotations: { note: "x" } });
  const { metadata } = one(objects, "Deployment").spec.template;
  assert.deepEqual([metadata.labels.team, metadata.annotations.note], ["iot", "x"]);
  assert.equal("team" in one(objects, "Service").spec.selector, false);
});

test("an Ingress leads the public host to HTTPS, and only if it is asked for", () => {
  assert.equal(one(render(), "Ingress"), undefined);
  const annotations = { "nginx.ingress.kubernetes.io/ssl-passthrough": "true" };
  const ingress = { enabled: true, className: "nginx", annotations };
  const objects = render({ ingress, publicHost: "iot.example.org", service: { type: "ClusterIP" } });
  const { metadata, spec } = one(objects, "Ingress");
  assert.deepEqual([metadata.annotations, spec.ingressClassName], [annotations, "nginx"]);
  assert.equal(spec.rules[0].host, "iot.example.org");
  const { service } = spec.rules[0].http.paths[0].backend;
  const target = one(objects, "Service", service.name);
  assert.ok(target.spec.ports.some(({ name }: { name: string }) => name === service.port.name));
  // Kubernetes refuses the field for this type.
  assert.equal("externalTrafficPolicy" in target.spec, false);
});

test("a PodMonitor carries the labels by which an operator selects it", () => {
  const podMonitor = { enabled: true, interval: "30s", labels: { release: "prometheus" } };
  const { metadata, spec } = one(render({ podMonitor }), "PodMonitor");
  assert.deepEqual([metadata.labels.release, spec.podMetricsEndpoints[0].interval], ["prometheus", "30s"]);
});

test("the schema of the values names every value of values.yaml and no other", () => {
  const schema = JSON.parse(readFileSync(join(helm, "muster/values.schema.json"), "utf8"));
  const compare = (values: object, { properties }: KubernetesObject, path: string): void => {
    const { global, ...known } = properties;
    assert.deepEqual(Object.keys(known).sort(), Object.keys(values).sort(), path);
    for (const [name, value] of Object.entries(values))
      if (known[name].properties !== undefined) compare(value, known[name], `${path}.${name}`);
  };
  compare(load(readFileSync(join(helm, "muster/values.yaml"), "utf8")) as object, schema, "");
});

test("each file of example values renders", () => {
  const files = readdirSync(join(helm, "values"));
  assert.equal(files.length, 6);
  for (const file of files) {
    const values = load(readFileSync(join(helm, "values", file), "utf8")) as object;
    assert.equal(one(render(values), "Deployment").kind, "Deployment", file);
  }
});
