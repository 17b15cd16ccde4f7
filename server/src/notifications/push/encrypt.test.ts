import assert from "node:assert/strict";
import { generateKeyPairSync, verify } from "node:crypto";
import { test } from "node:test";
import { randomIds } from "../../lib/ids.ts";
import { encryptPush, vapid } from "./encrypt.ts";

const bytes = (text: string) => Buffer.from(text, "base64url");

test("a message is encrypted like the example of RFC 8291, appendix A", () => {
  const encrypted = encryptPush(
    Buffer.from("When I grow up, I want to be a watermelon"),
    {
      p256dh: bytes("BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"),
      auth: bytes("BTBZMqHH6r4Tts7J_aSIgg"),
    },
    randomIds,
    {
      privateKey: bytes("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"),
      salt: bytes("DGv6ra1nlYgDCS1FRnbzlw"),
    },
  );
  assert.equal(
    encrypted.toString("base64url"),
    "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN",
  );
});

test("the token of VAPID names the push service, ends within a day, and verifies with the key beside it", () => {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const { x, y } = publicKey.export({ format: "jwk" });
  const point = Buffer.concat([Buffer.from([4]), bytes(x!), bytes(y!)]);
  const now = new Date("2026-11-20T10:00:00.000Z");
  const header = vapid(
    { privateKey, publicKey: point },
    new URL("https://push.example/s/1"),
    "https://muster.example",
    now,
  );
  const [, head, claims, signature, key] = /^vapid t=([^.]+)\.([^.]+)\.([^,]+), k=(.+)$/.exec(header)!;
  assert.deepEqual(JSON.parse(bytes(head!).toString()), { typ: "JWT", alg: "ES256" });
  assert.deepEqual(JSON.parse(bytes(claims!).toString()), {
    aud: "https://push.example",
    exp: now.getTime() / 1_000 + 43_200,
    sub: "https://muster.example",
  });
  assert.deepEqual(bytes(key!), point);
  const of = { key: publicKey, dsaEncoding: "ieee-p1363" } as const;
  assert.ok(verify("sha256", Buffer.from(`${head}.${claims}`), of, bytes(signature!)));
});
