import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { test } from "node:test";
import { missingTool, newFolder } from "../test-support/tools.ts";
import { otherKeyProblem } from "./key-kind.ts";
import { readCsr } from "./read-csr.ts";

const spki = (key: KeyObject) => key.export({ format: "der", type: "spki" });

test("the refusal of a key names its kind and the command for the right one", () => {
  const keys: [KeyObject, string][] = [
    [generateKeyPairSync("rsa", { modulusLength: 2_048 }).publicKey, "RSA with 2048 bits"],
    [generateKeyPairSync("ec", { namedCurve: "P-384" }).publicKey, "EC on P-384"],
    [generateKeyPairSync("ec", { namedCurve: "secp256k1" }).publicKey, "EC on secp256k1"],
    [generateKeyPairSync("ed25519").publicKey, "of the kind ed25519"],
  ];
  for (const [key, kind] of keys) {
    const problem = otherKeyProblem(spki(key));
    assert.ok(problem.startsWith(`The CSR's public key is ${kind}, not`), problem);
    assert.match(problem, /"openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out key\.pem"\.$/);
  }
  assert.match(otherKeyProblem(Buffer.alloc(100)), /of an unknown kind/);
  assert.match(otherKeyProblem(Buffer.alloc(5_000)), /too long/);
});

test("a CSR of an RSA key is refused so, and the command in the refusal makes a key that is accepted", (t) => {
  const missing = missingTool("openssl");
  if (missing) return t.skip(missing);
  using folder = newFolder();
  const openssl = (...args: string[]) =>
    execFileSync("openssl", args, { cwd: folder.path, stdio: ["ignore", "pipe", "ignore"] }).toString();
  const csr = () => openssl("req", "-new", "-sha256", "-key", "key.pem", "-subj", "/CN=pump");
  openssl("genrsa", "-out", "key.pem", "2048");
  let message = "";
  assert.throws(
    () => readCsr(csr()),
    (error: Error) => {
      message = error.message;
      return true;
    },
  );
  assert.match(message, /RSA with 2048 bits/);
  const [, command] = /"openssl (.+)"/.exec(message)!;
  openssl(...command!.split(" "));
  assert.equal(readCsr(csr()).spki.length, 91);
});
