import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { TAG } from "../der/der-reader.ts";
import {
  bitString,
  der,
  NULL,
  octetString,
  oid,
  sequence,
  setOf,
  smallInteger,
  unsignedInteger,
  utf8String,
} from "../der/der-writer.ts";
import { OID } from "../der/oids.ts";
import {
  attribute,
  attributes,
  type CsrParts,
  csrDer,
  csrPem,
  type KeyPair,
  nameOf,
  newKeyPair,
  spkiOf,
} from "./csr-builder.ts";

const ORDER = Buffer.from("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551", "hex");
const EXTENSION_REQUEST = "1.2.840.113549.1.9.14";
const CHALLENGE_PASSWORD = "1.2.840.113549.1.9.7";

/** The CSRs that must be refused: the fault → the text that a client would send. */
export const HOSTILE_CSRS: Readonly<Record<string, () => string>> = {
  // Faults of the text.
  "an empty string": () => "",
  "only blanks": () => " \n\t\r\n",
  words: () => "please sign this",
  "a text before the block": () => `Subject: CN=pump-1\n${honest()}`,
  "a text after the block": () => `${honest()}thank you`,
  "two blocks": () => honest() + honest(),
  "an appended private key": () => honest() + pemOf(newKeyPair().privateKey),
  "a private key in front": () => pemOf(newKeyPair().privateKey) + honest(),
  "a private key instead": () => pemOf(newKeyPair().privateKey),
  "the label of a certificate": () => csrPem(csrDer(), { label: "CERTIFICATE" }),
  "the label NEW CERTIFICATE REQUEST": () => csrPem(csrDer(), { label: "NEW CERTIFICATE REQUEST" }),
  "labels that differ": () => honest().replace("END CERTIFICATE", "END NEW CERTIFICATE"),
  "no end marker": () => honest().replace(/-----END.*\n/, ""),
  "a header inside the block": () => honest().replace("REQUEST-----\n", "REQUEST-----\nProc-Type: 4,ENCRYPTED\n\n"),
  "an empty block": () => "-----BEGIN CERTIFICATE REQUEST-----\n-----END CERTIFICATE REQUEST-----\n",
  "a block on one line with its markers": () => honest().replaceAll("\n", ""),
  "a blank line inside the block": () => honest().replace(/\n(?=[A-Za-z])/, "\n\n"),
  "a space inside the base64": () => honest().replace(/^(M.{20})/m, "$1 "),
  "base64url characters": () => withBase64((text) => text.replace(/[A-Z]/, "_")),
  "base64 without its padding": () => withBase64((text) => text.replace(/=+$/, ""), 1),
  "base64 with stray bits under the padding": () => withBase64(straightenedPadding, 1),
  "base64 with padding in the middle": () => withBase64((text) => `${text.slice(0, 60)}==${text.slice(60)}`),
  "a NUL character": () => honest().replace("\n", "\n\0"),
  "a byte order mark": () => `\uFEFF${honest()}`,
  "letters that only look like ASCII": () => honest().replace("CERTIFICATE", "СERTIFICATE"),
  "old Mac line ends": () => csrPem(csrDer(), { eol: "\r" }),
  "more than 8 KiB of blanks": () => honest() + " ".repeat(9000),
  "a common name of 1 MB": () => csrPem(csrDer({ subject: nameOf("x".repeat(1 << 20)) })),
  "a megabyte of dashes": () => "-".repeat(1 << 20),

  // Faults of the encoding.
  "a byte after the CSR": () => der64(Buffer.concat([csrDer(), Buffer.of(0)])),
  "a second CSR after the CSR": () => der64(Buffer.concat([csrDer(), csrDer()])),
  "a byte missing at the end": () => der64(csrDer().subarray(0, -1)),
  "an indefinite length outside": () => der64(indefinite(csrDer())),
  "an indefinite length in the signed part": () => make({ info: (info) => indefinite(info) }),
  "a length that is not minimal outside": () => der64(longer(csrDer())),
  "a length that is not minimal in the signed part": () => make({ info: (info) => longer(info) }),
  "a length that is not minimal in the subject": () => make({ subject: Buffer.from([0x30, 0x81, 0x02, 0x31, 0x00]) }),
  "a length beyond the end": () => der64(Buffer.concat([Buffer.of(0x30, 0x84, 0x7f, 0xff, 0xff, 0xff), csrDer()])),
  "an element after the signature": () => make({ outer: (...parts) => sequence(...parts, NULL) }),
  "an element after the attributes": () => make({ extra: smallInteger(1) }),
  "a set in place of the outer sequence": () => make({ outer: (...parts) => der(TAG.set, ...parts) }),
  "a long-form tag": () =>
    make({ attributes: attributes(attribute(CHALLENGE_PASSWORD, Buffer.of(0x1f, 0x81, 0x01, 0x00))) }),
  "a nest of a hundred sequences": () => make({ attributes: attributes(attribute(CHALLENGE_PASSWORD, nest(100))) }),
  "no attribute list": () => make({ attributes: Buffer.alloc(0) }),
  "a version not minimal": () => make({ version: der(TAG.integer, Buffer.of(0, 0)) }),
  "version 1": () => make({ version: smallInteger(1) }),
  "version -1": () => make({ version: der(TAG.integer, Buffer.of(0xff)) }),
  "no version": () => make({ version: Buffer.alloc(0) }),

  // Faults of the subject and the attributes.
  "a subject with an empty set": () => make({ subject: sequence(der(TAG.set)) }),
  "a subject whose value is a number": () =>
    make({ subject: sequence(setOf(sequence(OID.commonName, smallInteger(7)))) }),
  "a subject of broken UTF-8": () =>
    make({ subject: sequence(setOf(sequence(OID.commonName, der(TAG.utf8String, Buffer.of(0xc3, 0x28))))) }),
  "a NUL in the common name": () => make({ subject: nameOf("pump-1\0.evil") }),
  "a common name split over two pieces": () =>
    make({ subject: sequence(setOf(sequence(OID.commonName, der(0x2c, utf8String("pu"), utf8String("mp"))))) }),
  "an attribute twice": () => {
    const challenge = attribute(CHALLENGE_PASSWORD, utf8String("a"));
    return make({ attributes: attributes(challenge, challenge) });
  },
  "an attribute without a value": () => make({ attributes: attributes(attribute(CHALLENGE_PASSWORD)) }),
  "an attribute that is no sequence": () => make({ attributes: attributes(NULL) }),
  "an extension requested twice": () => make({ attributes: extensions(extension(), extension()) }),
  "an extension with a false spelt out": () =>
    make({ attributes: extensions(extension(der(TAG.boolean, Buffer.of(0)))) }),
  "a boolean that is neither true nor false": () =>
    make({ attributes: extensions(extension(der(TAG.boolean, Buffer.of(1)))) }),

  // Faults of the key.
  "a key on P-384": () => make({ pair: newKeyPair("P-384") }),
  "a key on secp256k1": () => make({ pair: newKeyPair("secp256k1") }),
  "a key on brainpoolP256r1": () => make({ pair: newKeyPair("brainpoolP256r1") }),
  "an RSA key": () => rsa("sha256"),
  "an Ed25519 key": () =>
    make({
      pair: generateKeyPairSync("ed25519"),
      algorithm: sequence(oid("1.3.101.112")),
      signature: (info, key) => sign(null, info, key),
    }),
  "a compressed point": () => withSpki((spki) => rebuilt(compressed(spki))),
  "a hybrid point": () => withSpki((spki) => patched(spki, 26, 0x06 | (spki.at(-1)! & 1))),
  "the point at infinity": () => withSpki(() => rebuilt(Buffer.of(0))),
  "a point off the curve": () => withSpki((spki) => patched(spki, 90, spki[90]! ^ 1)),
  "a point beyond the field": () => withSpki((spki) => Buffer.concat([spki.subarray(0, 27), Buffer.alloc(64, 0xff)])),
  "a key whose curve is spelt out in parameters": () => make({ pair: explicitCurve() }),
  "a key with unused bits": () => withSpki((spki) => patched(spki, 25, 1)),
  "the public key of another pair": () => make({ spki: spkiOf(newKeyPair()) }),

  // Faults of the signature.
  "a signature over something else": () => make({ signature: (_, key) => sign("sha256", Buffer.from("else"), key) }),
  "ECDSA with SHA-1": () => make({ hash: "sha1", algorithm: sequence(oid("1.2.840.10045.4.1")) }),
  "ECDSA with SHA-224": () => make({ hash: "sha224", algorithm: sequence(oid("1.2.840.10045.4.3.1")) }),
  "an algorithm that is not the one used": () => make({ hash: "sha384" }),
  "an algorithm with parameters": () => make({ algorithm: sequence(OID.ecdsaWithSha256, octetString(Buffer.of(1))) }),
  "an RSA algorithm over an EC key": () => make({ algorithm: sequence(oid("1.2.840.113549.1.1.11"), NULL) }),
  "RSA with SHA-1": () => rsa("sha1"),
  "r = 0": () => withSignature(() => sequence(smallInteger(0), smallInteger(1))),
  "s = 0": () => withSignature(() => sequence(smallInteger(1), smallInteger(0))),
  "r = n": () => withSignature(() => sequence(unsignedInteger(ORDER), smallInteger(1))),
  "s beyond n": () => withSignature(() => sequence(smallInteger(1), unsignedInteger(Buffer.alloc(32, 0xff)))),
  "a negative r": () => withSignature(() => sequence(der(TAG.integer, Buffer.of(0xff)), smallInteger(1))),
  "r of a thousand octets": () =>
    withSignature(() => sequence(unsignedInteger(Buffer.alloc(1000, 1)), smallInteger(1))),
  "an r that is not minimal": () => withSignature((good) => paddedR(good)),
  "a byte inside the signature after s": () => withSignature((good) => sequence(innerOf(good), NULL)),
  "a byte after the signature's sequence": () => withSignature((good) => Buffer.concat([good, Buffer.of(0)])),
  "a signature as two bare numbers": () =>
    make({ signature: (info, key) => sign("sha256", info, { key, dsaEncoding: "ieee-p1363" }) }),
  "a signature with unused bits": () =>
    make({ signatureElement: (octets) => der(TAG.bitString, Buffer.of(1), octets) }),
  "an empty signature": () => make({ signatureElement: () => bitString(Buffer.alloc(0)) }),
  "no signature": () => make({ outer: (info, algorithm) => sequence(info, algorithm) }),
};

function honest(): string {
  return csrPem(csrDer());
}

function make(parts: CsrParts): string {
  return csrPem(csrDer(parts));
}

function der64(bytes: Buffer): string {
  return csrPem(bytes);
}

function pemOf(key: KeyObject): string {
  return key.export({ format: "pem", type: "pkcs8" }).toString();
}

/** Rewrites the base64 of an honest CSR; with `padding`, of one that ends in `=`. */
function withBase64(rewrite: (base64: string) => string, padding = 0): string {
  for (let filler = 0; ; filler++) {
    const base64 = csrDer({ subject: nameOf(`pump-${"x".repeat(filler % 3)}`) }).toString("base64");
    if (padding > 0 && !base64.endsWith("=")) continue;
    const lines = rewrite(base64).match(/.{1,64}/g)!;
    return ["-----BEGIN CERTIFICATE REQUEST-----", ...lines, "-----END CERTIFICATE REQUEST-----", ""].join("\n");
  }
}

/** Sets the lowest bit that padding leaves unused; a lax decoder gives the same octets. */
function straightenedPadding(base64: string): string {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const at = base64.indexOf("=") - 1;
  return base64.slice(0, at) + alphabet[alphabet.indexOf(base64[at]!) | 1] + base64.slice(at + 1);
}

function indefinite(element: Buffer): Buffer {
  return Buffer.concat([Buffer.of(element[0]!, 0x80), innerOf(element), Buffer.of(0, 0)]);
}

function longer(element: Buffer): Buffer {
  const content = innerOf(element);
  return Buffer.concat([Buffer.of(element[0]!, 0x83, 0, content.length >> 8, content.length & 0xff), content]);
}

function innerOf(element: Buffer): Buffer {
  return element.subarray(element[1]! < 0x80 ? 2 : 2 + (element[1]! & 0x7f));
}

function nest(depth: number): Buffer {
  return depth === 0 ? NULL : sequence(nest(depth - 1));
}

function extension(critical: Buffer = Buffer.alloc(0)): Buffer {
  return sequence(OID.subjectAltName, critical, octetString(sequence()));
}

function extensions(...list: Buffer[]): Buffer {
  return attributes(attribute(EXTENSION_REQUEST, sequence(...list)));
}

function rsa(hash: "sha1" | "sha256"): string {
  const pair = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const algorithm = sequence(oid(hash === "sha1" ? "1.2.840.113549.1.1.5" : "1.2.840.113549.1.1.11"), NULL);
  return make({ pair, algorithm, hash });
}

function explicitCurve(): KeyPair {
  return generateKeyPairSync("ec", { namedCurve: "P-256", paramEncoding: "explicit" });
}

/** Returns an honest CSR over a changed SubjectPublicKeyInfo, signed with its original key. */
function withSpki(change: (spki: Buffer) => Buffer): string {
  const pair = newKeyPair();
  return make({ pair, spki: change(spkiOf(pair)) });
}

function rebuilt(point: Buffer): Buffer {
  return sequence(sequence(oid("1.2.840.10045.2.1"), oid("1.2.840.10045.3.1.7")), bitString(point));
}

function compressed(spki: Buffer): Buffer {
  return Buffer.concat([Buffer.of(0x02 | (spki.at(-1)! & 1)), spki.subarray(27, 59)]);
}

function patched(bytes: Buffer, at: number, value: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[at] = value;
  return copy;
}

function withSignature(change: (good: Buffer) => Buffer): string {
  return make({ signature: (info, key) => change(sign("sha256", info, key)) });
}

/** Returns the same signature with an extra zero octet in front of r. */
function paddedR(good: Buffer): Buffer {
  const rest = innerOf(good);
  const r = rest.subarray(2, 2 + rest[1]!);
  const s = rest.subarray(2 + rest[1]!);
  return sequence(der(TAG.integer, r[0] === 0 ? Buffer.of(0, 0) : Buffer.of(0), r[0] === 0 ? r.subarray(1) : r), s);
}
