import { readFileSync } from "node:fs";
import type * as Nats from "@nats-io/transport-node";
import { NKEY_SEED } from "./nats-settings.ts";

const JWT_FILE = /-----BEGIN NATS USER JWT-----/;

/**
 * Answers the challenge of a server with the file as it is at that moment, so that it can be replaced without a restart.
 *
 * @throws Error where the file cannot be read or is none of NATS's
 */
export function credentialsFrom(file: string, nats: typeof Nats): Nats.Authenticator {
  const answer: Nats.Authenticator = (nonce) => {
    const text = readFileSync(file, "utf8");
    const bytes = new TextEncoder();
    if (JWT_FILE.test(text)) return nats.credsAuthenticator(bytes.encode(text))(nonce);
    const seed = NKEY_SEED.exec(text)?.[1];
    if (seed !== undefined) return nats.nkeyAuthenticator(bytes.encode(seed))(nonce);
    throw new Error(`${file} has neither a user's JWT of NATS (.creds) nor the seed of a user's nkey (SU…)`);
  };
  answer("");
  return answer;
}
