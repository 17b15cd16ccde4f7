import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { createServer, type Server } from "node:https";
import type { AddressInfo, Server as NetServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer, text } from "node:stream/consumers";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { SMTPServer } from "smtp-server";
import { messageOf, PAYLOADS } from "../../../src/api/openapi/payloads.ts";

/** A mail, as a real SMTP server received it. */
export interface Mail {
  to: string;
  id: string;
  subject: string;
  headers: string;
  text: string;
}

/** A POST, as a real HTTPS server received it. */
export interface Hook {
  path: string;
  headers: Record<string, string>;
  body: string;
  /** The octets of a message to a chat or push service. */
  raw?: Buffer;
}

/** Starts a mail server and a webhook receiver, which keep what they receive. */
export type Sinks = Awaited<ReturnType<typeof startSinks>>;

export async function startSinks() {
  const tls = selfSigned();
  // The same effect as `NODE_EXTRA_CA_CERTS` at start.
  const trusted = getCACertificates("default");
  setDefaultCACertificates([...trusted, tls.cert]);
  const mails: Mail[] = [];
  const hooks: Hook[] = [];
  /** Requests to confirm a channel. `mails` and `hooks` contain the other messages. */
  const links: { to: string; url: string }[] = [];
  /** The mails of `links`. */
  const confirmations: Mail[] = [];
  /** Webhook messages that the `webhooks` of `openapi/public.json` do not describe. */
  const undocumented: string[] = [];
  const waiting = new Set<() => void>();
  const behave = {
    /** The mail server's response to a recipient, e.g. `{ responseCode: 451 }`; nothing accepts it. */
    mail: (_to: string): { responseCode: number } | undefined => undefined,
    /** The webhook's response; without one, the webhook never answers. */
    hook: (_path: string): { status: number; location?: string } | undefined => ({ status: 204 }),
    /** The answer of a chat or paging service; their paths begin with `/service/`. */
    service: (_path: string): { status: number; headers?: Record<string, string>; body?: string } => ({ status: 200 }),
    /** Whether webhooks confirm themselves by answering with the challenge. */
    echo: true,
  };
  const arrived = () => {
    for (const check of waiting) check();
  };

  const smtp = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS", "AUTH"],
    onRcptTo({ address }, _session, done) {
      const refusal = behave.mail(address);
      done(refusal ? Object.assign(new Error("not now"), refusal) : null);
    },
    onData(stream, session, done) {
      text(stream).then((raw) => {
        for (const { address: to } of session.envelope.rcptTo) {
          const url = /https:\S+\/confirm\/\S+/.exec(raw.replaceAll("=\r\n", ""))?.[0];
          if (url === undefined) mails.push(toMail(to, raw));
          else {
            confirmations.push(toMail(to, raw));
            links.push({ to, url });
          }
        }
        done(null);
        arrived();
      }, done);
    },
  });
  smtp.on("error", () => undefined);
  const https: Server = createServer(tls, (request, response) => {
    void buffer(request).then((raw) => {
      const body = raw.toString();
      // ntfy has the topic in the body.
      const path = request.url === "/" ? `/service/${JSON.parse(body).topic}` : request.url!;
      if (path.startsWith("/service/")) {
        hooks.push({ path, headers: request.headers as Record<string, string>, body, raw });
        const { status, headers = {}, body: answer } = behave.service(path);
        response.writeHead(status, headers).end(answer);
        return arrived();
      }
      const asked = JSON.parse(body || "{}");
      const shape = asked.type in PAYLOADS ? messageOf(asked.type).safeParse(asked) : undefined;
      // Tests plant digests, which the service sends by mail alone.
      if (!shape?.success && asked.type !== "digest") undocumented.push(`${shape?.error ?? "unknown type"}: ${body}`);
      if (asked.type === "channel.confirmation") {
        links.push({ to: request.url!, url: asked.data.confirmUrl });
        response.end(behave.echo ? JSON.stringify({ challenge: asked.data.challenge }) : "");
        return arrived();
      }
      const answer = behave.hook(request.url!);
      hooks.push({ path: request.url!, headers: request.headers as Record<string, string>, body });
      if (answer) response.writeHead(answer.status, answer.location ? { location: answer.location } : {}).end();
      arrived();
    });
  });
  await Promise.all([listen(smtp.server), listen(https)]);
  const port = (server: { address(): unknown }) => (server.address() as AddressInfo).port;

  return {
    mails,
    hooks,
    links,
    confirmations,
    behave,
    /** The settings of a service in this process; the last one is for a service in its own process. */
    env: {
      MUSTER_SMTP_URL: `smtp://127.0.0.1:${port(smtp.server)}`,
      MUSTER_WEBHOOK_ALLOW_PRIVATE: "true",
      NODE_EXTRA_CA_CERTS: tls.certFile,
    },
    hookPort: port(https),
    hookUrl: (path: string) => `https://127.0.0.1:${port(https)}${path}`,
    /** Resolves once `isTrue` returns true. It is re-evaluated at each arrival. */
    until: (isTrue: () => boolean): Promise<void> =>
      new Promise((resolve) => {
        const check = () => {
          if (!isTrue()) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        check();
      }),
    /** Returns the newest link that was sent to an e-mail address, or to the path of a webhook. */
    linkTo: (to: string) => links.findLast((link) => link.to === to)?.url,
    mailsTo: (address: string) => mails.filter(({ to }) => to === address),
    hooksAt: (path: string) => hooks.filter((hook) => hook.path === path),
    /** Closes every connection on which a webhook has not answered. */
    hangUp: () => https.closeAllConnections(),
    async stop() {
      setDefaultCACertificates(trusted);
      https.closeAllConnections();
      https.close();
      await new Promise<void>((resolve) => smtp.close(resolve));
      await rm(tls.folder, { recursive: true });
      assert.deepEqual(undocumented, []);
    },
  };
}

function listen(server: NetServer): Promise<void> {
  return new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
}

function toMail(to: string, raw: string): Mail {
  const [headers = "", ...rest] = raw.split("\r\n\r\n");
  const header = (name: string) =>
    new RegExp(`^${name}: ?(.*(?:\\r\\n[ \\t].*)*)`, "im").exec(headers)?.[1]?.replace(/\r\n[ \t]/g, " ") ?? "";
  const id = /<([^@]+)@/.exec(header("Message-ID"))?.[1] ?? "";
  return { to, id, subject: header("Subject"), headers, text: rest.join("\r\n\r\n") };
}

export function selfSigned() {
  const folder = mkdtempSync(join(tmpdir(), "muster-sink-"));
  const [keyFile, certFile] = [join(folder, "key"), join(folder, "cert")];
  const names = "subjectAltName=IP:127.0.0.1,DNS:hooks.example,DNS:localhost";
  const kind = ["-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"];
  const files = ["-keyout", keyFile, "-out", certFile];
  execFileSync("openssl", ["req", ...kind, "-subj", "/CN=sink", "-addext", names, ...files], { stdio: "ignore" });
  return { folder, certFile, key: readFileSync(keyFile), cert: readFileSync(certFile, "utf8") };
}
