/**
 * The connection of a process to NATS, which carries MQTT messages between processes on several machines
 * (docs/scaling.md).
 */
export interface NatsSettings {
  /** `host:port` or `host`; any one of them is sufficient. */
  servers: string[];
  /** Whether a connection must be encrypted. */
  tls: boolean;
  /** A NATS file with a user's JWT and seed (`.creds`), or with the seed of an nkey. */
  credentialsFile: string | undefined;
  /** The file with the CAs of the servers' certificates, in PEM; `undefined` for those that Node trusts. */
  caFile: string | undefined;
  /** The file with this client's certificate. */
  certFile: string | undefined;
  keyFile: string | undefined;
  /** The oldest supported server version, such as 2.10. */
  versionFloor: string;
  /** The message length in bytes that a server must accept. */
  payloadBytes: number;
}

/** The seed of a user's nkey in a file of its own. */
export const NKEY_SEED = /^\s*(SU[A-Z2-7]{56})\s*$/m;
