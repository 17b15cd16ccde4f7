import { pino } from "pino";

/** The structured log: JSON lines on stdout. Never log a request body, all headers of a request, or a whole record. */
export type Logger = pino.Logger;

export type LogLevel = "fatal" | "error" | "warn" | "info" | "debug" | "trace" | "silent";

/** Fields redacted at the top level and one level down, as a second line of defence behind {@link Secret}. */
const SECRET_FIELDS = [
  "password",
  "claimCode",
  "key",
  "apiKey",
  "privateKeyPem",
  "pkcs12Base64",
  "pkcs12Passphrase",
  "authorization",
  "csr",
];

/** Creates a logger that writes to `destination` (by default stdout). */
export function createLogger(level: LogLevel, destination?: { write(line: string): void }): Logger {
  const options: pino.LoggerOptions = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    redact: { paths: SECRET_FIELDS.flatMap((field) => [field, `*.${field}`]), censor: "[secret]" },
  };
  return destination ? pino(options, destination) : pino(options);
}
