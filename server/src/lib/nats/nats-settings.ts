/** How a process connects to NATS, which carries MQTT messages between processes on several machines (docs/scaling.md). */
export interface NatsSettings {
  /** `host:port` or `host`; any of them will do. */
  servers: string[];
  /** Whether a connection must be encrypted. */
  tls: boolean;
  /** A file of NATS with a user's JWT and seed (`.creds`), or with the seed of an nkey. */
  credentialsFile: string | undefined;
  /** Authorities of the servers' certificates in PEM; undefined: those that Node trusts. */
  caFile: string | undefined;
  /** Of this client. */
  certFile: string | undefined;
  keyFile: string | undefined;
  /** The oldest version of a server, such as 2.10. */
  versionFloor: string;
  /** The longest message that a server must take, in bytes. */
  payloadBytes: number;
}

/** The seed of a user's nkey, in a file of its own. */
export const NKEY_SEED = /^\s*(SU[A-Z2-7]{56})\s*$/m;
