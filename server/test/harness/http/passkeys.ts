import assert from "node:assert/strict";
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import type { TestServer } from "../server.ts";
import type { SignedIn } from "../sign-in.ts";

/** The deviations of a response from that of a well-behaved authenticator and browser. */
export interface Deviation {
  origin?: string;
  rpId?: string;
  challenge?: string;
  type?: string;
  crossOrigin?: boolean;
  /** Whether the authenticator verified the user. */
  verified?: boolean;
  present?: boolean;
  /** The counter that is sent, in place of the next one. */
  counter?: number;
  userHandle?: string | null;
  /** The key that signs, in place of the credential's. */
  key?: KeyObject;
  /** Whether the credential signs its own attestation. */
  selfSigned?: boolean;
  /** The name of the attestation format, and its statement as CBOR. */
  attestation?: { format: string; statement: Buffer };
}

interface Options {
  challenge: string;
  rpId?: string;
  rp?: { id: string };
  user?: { id: string };
}

/** A software authenticator with one credential, in a browser at `origin` (WebAuthn 6). */
export function softAuthenticator(origin: string, { counts = true }: { counts?: boolean } = {}) {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const id = randomBytes(16);
  let [counter, userHandle] = [0, ""];

  function clientData(type: string, { challenge }: Options, deviation: Deviation): Buffer {
    const { crossOrigin = false, ...other } = deviation;
    const data = { type: other.type ?? type, challenge: other.challenge ?? challenge, origin: other.origin ?? origin };
    return Buffer.from(JSON.stringify({ ...data, crossOrigin }));
  }

  function authenticatorData(rpId: string, deviation: Deviation, attested?: Buffer): Buffer {
    const { present = true, verified = true } = deviation;
    const flags = (present ? 0x01 : 0) | (verified ? 0x04 : 0) | (attested ? 0x40 : 0);
    counter = deviation.counter ?? (counts ? counter + 1 : 0);
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter);
    const hash = createHash("sha256")
      .update(deviation.rpId ?? rpId)
      .digest();
    return Buffer.concat([hash, Buffer.from([flags]), count, attested ?? Buffer.alloc(0)]);
  }

  function attest(authenticator: Buffer, data: Buffer, selfSigned = false) {
    if (!selfSigned) return { format: "none", statement: cborMap([]) };
    const signature = sign("sha256", signedBy(authenticator, data), privateKey);
    const statement = cborMap([
      [cborText("alg"), Buffer.from([0x26])],
      [cborText("sig"), cborBytes(signature)],
    ]);
    return { format: "packed", statement };
  }

  return {
    id: id.toString("base64url"),
    get userHandle() {
      return userHandle;
    },
    /** Makes the credential for the options of `POST /passkeys/start`. */
    create(options: Options, deviation: Deviation = {}) {
      userHandle = options.user!.id;
      const idLength = Buffer.from([id.length >> 8, id.length & 0xff]);
      const attested = Buffer.concat([Buffer.alloc(16), idLength, id, coseKey(publicKey)]);
      const data = clientData("webauthn.create", options, deviation);
      const authenticator = authenticatorData(options.rp!.id, deviation, attested);
      const { format, statement } = deviation.attestation ?? attest(authenticator, data, deviation.selfSigned);
      const attestationObject = cborMap([
        [cborText("fmt"), cborText(format)],
        [cborText("attStmt"), statement],
        [cborText("authData"), cborBytes(authenticator)],
      ]);
      return {
        id: id.toString("base64url"),
        clientDataJSON: data.toString("base64url"),
        attestationObject: attestationObject.toString("base64url"),
        transports: ["internal"],
      };
    },
    /** Signs the challenge of the options. */
    get(options: Options, deviation: Deviation = {}) {
      const data = clientData("webauthn.get", options, deviation);
      const authenticator = authenticatorData(options.rpId!, deviation);
      const signed = signedBy(authenticator, data);
      const handle = deviation.userHandle === undefined ? userHandle : deviation.userHandle;
      return {
        id: id.toString("base64url"),
        clientDataJSON: data.toString("base64url"),
        authenticatorData: authenticator.toString("base64url"),
        signature: sign("sha256", signed, deviation.key ?? privateKey).toString("base64url"),
        ...(handle === null ? {} : { userHandle: handle }),
      };
    },
  };
}

export type SoftAuthenticator = ReturnType<typeof softAuthenticator>;

/** Adds a passkey for a signed-in user. @returns it with its authenticator and any recovery codes */
export async function addPasskey(
  server: Pick<TestServer, "httpUrl">,
  user: Pick<SignedIn, "call">,
  name = "Laptop",
  device = softAuthenticator(server.httpUrl),
) {
  const begun = await user.call("POST", "/passkeys/start");
  assert.equal(begun.status, 200, begun.text);
  const added = await user.call("POST", "/passkeys", { body: { name, passkey: device.create(begun.json) } });
  assert.equal(added.status, 201, added.text);
  return { device, passkeyId: added.json.passkey.id as string, recoveryCodes: added.json.recoveryCodes as string[] };
}

/** Signs in with a passkey alone. @returns the answer to the last request */
export async function signInWith(
  browser: Pick<SignedIn, "call">,
  device: Pick<SoftAuthenticator, "get">,
  deviation?: Deviation,
) {
  const { status, json, text } = await browser.call("POST", "/sign-in/passkey/start");
  assert.equal(status, 200, text);
  return await browser.call("POST", "/sign-in/passkey/complete", { body: { passkey: device.get(json, deviation) } });
}

/** Returns the octets that a credential signs (WebAuthn 6.3.3). */
function signedBy(authenticator: Buffer, data: Buffer): Buffer {
  return Buffer.concat([authenticator, createHash("sha256").update(data).digest()]);
}

/** Encodes a P-256 key (RFC 9053 7.1.1). */
function coseKey(key: KeyObject): Buffer {
  const { x, y } = key.export({ format: "jwk" });
  const at = (text: string | undefined) => cborBytes(Buffer.from(text!, "base64url"));
  const label = (number: number) => Buffer.from([number < 0 ? 0x20 - number - 1 : number]);
  return cborMap([
    [label(1), label(2)],
    [label(3), label(-7)],
    [label(-1), label(1)],
    [label(-2), at(x)],
    [label(-3), at(y)],
  ]);
}

/** Encodes a map of encoded pairs (RFC 8949 3.1). */
export function cborMap(pairs: readonly (readonly [Buffer, Buffer])[]): Buffer {
  return Buffer.concat([Buffer.from([0xa0 + pairs.length]), ...pairs.flat()]);
}

export function cborText(text: string): Buffer {
  return Buffer.concat([Buffer.from([0x60 + text.length]), Buffer.from(text)]);
}

/** Encodes bytes with the shortest head, as authenticators must (CTAP 2.1, 8). */
export function cborBytes(bytes: Buffer): Buffer {
  const { length } = bytes;
  const head = length < 24 ? [0x40 + length] : length < 256 ? [0x58, length] : [0x59, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from(head), bytes]);
}
