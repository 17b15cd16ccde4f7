import { pino } from "pino";

/** Structured log: JSON lines on stdout. Never pass it a request body, all headers of a request, or a whole record. */
export type Logger = pino.Logger;

export type LogLevel = "fatal" | "error" | "warn" | "info" | "debug" | "trace" | "silent";

/** Fields that are redacted at the top and one level down, as a second defence behind {@link Secret}. */
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

/** A logger writing to `destination` (stdout when absent). */
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
