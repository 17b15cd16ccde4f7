import { readFileSync } from "node:fs";
import type * as Nats from "@nats-io/transport-node";
import { NKEY_SEED } from "./nats-settings.ts";

const JWT_FILE = /-----BEGIN NATS USER JWT-----/;

/**
 * Answers a server's challenge from the current contents of the file, so that it can be replaced without a restart.
 *
 * @throws Error if the file cannot be read or is not a NATS credentials file
 */
export function credentialsFrom(file: string, nats: typeof Nats): Nats.Authenticator {
  const answer: Nats.Authenticator = (nonce) => {
    const text = readFileSync(file, "utf8");
    const bytes = new TextEncoder();
    if (JWT_FILE.test(text)) return nats.credsAuthenticator(bytes.encode(text))(nonce);
    const seed = NKEY_SEED.exec(text)?.[1];
    if (seed !== undefined) return nats.nkeyAuthenticator(bytes.encode(seed))(nonce);
    throw new Error(`${file} contains neither a NATS user JWT (.creds) nor the seed of a user nkey (SU…)`);
  };
  answer("");
  return answer;
}
