import assert from "node:assert/strict";
import { test } from "node:test";
import { checkFiles, FileError } from "./check-files.ts";

const READABLE = import.meta.filename;
const files = { tls: true, credentialsFile: READABLE, caFile: READABLE, certFile: READABLE, keyFile: READABLE };

test("readable files, and files that no setting names, pass", async () => {
  await checkFiles(files);
  const none = { credentialsFile: undefined, caFile: undefined, certFile: undefined, keyFile: undefined };
  await checkFiles({ tls: true, ...none });
});

for (const [field, setting] of [
  ["credentialsFile", "MUSTER_NATS_CREDENTIALS_FILE"],
  ["caFile", "MUSTER_NATS_CA_FILE"],
  ["certFile", "MUSTER_NATS_CERT_FILE"],
  ["keyFile", "MUSTER_NATS_KEY_FILE"],
] as const)
  test(`a missing file is reported with its setting, ${setting}`, async () => {
    const message = `${setting} (/nofile) cannot be read: there is no such file`;
    await assert.rejects(checkFiles({ ...files, [field]: "/nofile" }), new FileError(message));
  });

test("a folder in place of a file is reported as a folder", async () => {
  await assert.rejects(checkFiles({ ...files, caFile: import.meta.dirname }), /cannot be read: it is a folder$/);
});

test("TLS files are not read if connections are not encrypted", async () => {
  await checkFiles({ ...files, tls: false, caFile: "/nofile", certFile: "/nofile", keyFile: "/nofile" });
});
