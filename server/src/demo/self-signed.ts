import { generateKeyPairSync, sign } from "node:crypto";
import { addMs, DAY } from "../lib/clock.ts";
import { randomIds } from "../lib/ids.ts";

const VALID_MS = 30 * DAY;

const OID_ECDSA_SHA256 = Buffer.from("06082a8648ce3d040302", "hex");
const OID_COMMON_NAME = Buffer.from("0603550403", "hex");
const OID_ALTERNATIVE_NAME = Buffer.from("0603551d11", "hex");
const LOOPBACK = Buffer.of(127, 0, 0, 1);

/** In PEM. */
export interface SelfSigned {
  key: string;
  cert: string;
}

/** A key and a certificate of itself for 127.0.0.1 (RFC 5280), for the demo's webhook receiver alone. */
export function selfSigned(now: Date): SelfSigned {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const algorithm = sequence(OID_ECDSA_SHA256);
  const name = sequence(tlv(0x31, sequence(OID_COMMON_NAME, tlv(0x0c, Buffer.from("Muster demo")))));
  const alternative = sequence(OID_ALTERNATIVE_NAME, tlv(0x04, sequence(tlv(0x87, LOOPBACK))));
  const content = sequence(
    tlv(0xa0, tlv(0x02, Buffer.of(2))),
    tlv(0x02, Buffer.of(1), randomIds.bytes(8)),
    algorithm,
    name,
    sequence(utcTime(addMs(now, -DAY)), utcTime(addMs(now, VALID_MS))),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    tlv(0xa3, sequence(alternative)),
  );
  const signature = tlv(0x03, Buffer.of(0), sign("sha256", content, privateKey));
  const base64 = sequence(content, algorithm, signature).toString("base64");
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${base64.replace(/.{64}/g, "$&\n")}\n-----END CERTIFICATE-----\n`,
  };
}

/** Tag, length (below 64 KiB, in as few octets as possible), content: X.690 8.1. */
function tlv(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const octets = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.of(tag, ...octets), content]);
}

function sequence(...parts: Buffer[]): Buffer {
  return tlv(0x30, ...parts);
}

function utcTime(at: Date): Buffer {
  const digits = at.toISOString().replace(/\D/g, "").slice(2, 14);
  return tlv(0x17, Buffer.from(`${digits}Z`));
}
