import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { Inbox } from "./inbox.ts";

export interface Mail {
  to: string[];
  subject: string;
  text: string;
  /** The whole mail as received, including headers. */
  source: string;
}

export interface MailSink {
  readonly url: string;
  readonly inbox: Inbox<Mail>;
  close(): void;
}

/**
 * Starts a mail server on a loopback port that collects mails (the minimum of RFC 5321 that a client needs).
 *
 * @param port 0 for a free one
 */
export async function startMailSink(show: (mail: Mail) => void, port = 0): Promise<MailSink> {
  const inbox = new Inbox(show);
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => undefined);
    serve(socket, (mail) => inbox.add(mail));
  });
  await once(server.listen(port, "127.0.0.1"), "listening");
  return {
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    inbox,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

function serve(socket: Socket, receive: (mail: Mail) => void): void {
  const reply = (line: string) => socket.write(`${line}\r\n`);
  let to: string[] = [];
  let data: string[] | undefined;
  reply("220 demo");
  createInterface({ input: socket.setEncoding("utf8"), crlfDelay: Number.POSITIVE_INFINITY }).on("line", (line) => {
    if (data && line !== ".") return void data.push(line.startsWith(".") ? line.slice(1) : line);
    if (data) {
      receive(toMail(to, data));
      data = undefined;
      return void reply("250 received");
    }
    const verb = line.slice(0, 4).toUpperCase();
    if (verb === "MAIL" || verb === "RSET") to = [];
    if (verb === "RCPT") to.push(/<(.*)>/.exec(line)?.[1] ?? "");
    if (verb === "DATA") data = [];
    reply(verb === "DATA" ? "354 go on" : verb === "QUIT" ? "221 bye" : "250 demo");
    if (verb === "QUIT") socket.end();
  });
}

function toMail(to: string[], lines: string[]): Mail {
  const end = lines.indexOf("");
  const headers = lines
    .slice(0, end)
    .join("\n")
    .replace(/\n[ \t]+/g, " ");
  const subject = /^Subject: (.*)$/im.exec(headers)?.[1] ?? "";
  return { to, subject, text: lines.slice(end + 1).join("\n"), source: lines.join("\n") };
}
