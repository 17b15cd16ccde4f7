import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import type { TestServer } from "../server.ts";

export interface Message {
  event: string;
  id: string;
  data: { kind?: string; deviceId?: string; reason?: string; data?: { values?: { value: unknown }[] } };
}

export interface Stream {
  status: number;
  headers: IncomingMessage["headers"];
  /** All messages so far. */
  messages: Message[];
  /** Resolves with the first message that meets `condition`; rejects if the stream ends without one. */
  next(condition: (message: Message) => boolean): Promise<Message>;
  ended: Promise<void>;
  close(): void;
}

/** Opens a stream of server-sent events. */
export async function openStream(
  server: TestServer,
  path: string,
  credential: Record<string, string>,
  lastEventId?: string,
): Promise<Stream> {
  const headers = { ...credential, ...(lastEventId === undefined ? {} : { "last-event-id": lastEventId }) };
  const answered = Promise.withResolvers<IncomingMessage>();
  const call = request(server.httpUrl + path, { ca: server.ca, agent: false, headers });
  call.on("response", answered.resolve).on("error", answered.reject).end();
  const response = await answered.promise;
  const messages: Message[] = [];
  const waiting = new Set<() => void>();
  let rest = "";
  response.setEncoding("utf8").on("data", (chunk: string) => {
    const parts = (rest + chunk).split("\n\n");
    rest = parts.pop()!;
    messages.push(...parts.filter((part) => !part.startsWith(":")).map(parsed));
    for (const check of waiting) check();
  });
  response.on("error", () => undefined);
  const ended = new Promise<void>((resolve) => response.once("close", resolve));
  const next = (condition: (message: Message) => boolean) =>
    new Promise<Message>((resolve, reject) => {
      const check = () => {
        const found = messages.find(condition);
        if (found) resolve(found);
      };
      waiting.add(check);
      check();
      ended.then(() => reject(new Error(`the stream ended after ${JSON.stringify(messages)}`)));
    });
  return {
    status: response.statusCode!,
    headers: response.headers,
    messages,
    next,
    ended,
    close: () => call.destroy(),
  };
}

function parsed(part: string): Message {
  const fields = Object.fromEntries(part.split("\n").map((line) => line.split(/: (.*)/s) as [string, string]));
  return { event: fields.event ?? "message", id: fields.id ?? "", data: JSON.parse(fields.data ?? "{}") };
}

export const isReady = ({ event }: Message) => event === "ready";
export const isOf = (kind: string, deviceId?: string) => (message: Message) =>
  message.data.kind === kind && (deviceId === undefined || message.data.deviceId === deviceId);
