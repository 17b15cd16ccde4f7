import { connect, headers } from "@nats-io/transport-node";
import { range } from "../../harness/ingest-stream.ts";
import type { NatsServer } from "../../harness/processes/nats-server.ts";

/** Appends the whole content of the stream once more, like a process whose append was not confirmed in time. */
export async function appendAgain(nats: NatsServer): Promise<void> {
  const connection = await connect({ servers: `127.0.0.1:${nats.port}` });
  const api = async <T>(verb: string, body: object) =>
    (
      await connection.request(`$JS.API.STREAM.${verb}.MUSTER_INGEST`, JSON.stringify(body), { timeout: 5_000 })
    ).json<T>();
  const { state } = await api<{ state: { first_seq: number; last_seq: number } }>("INFO", {});
  for (const seq of range(state.first_seq, state.last_seq + 1)) {
    const { message } = await api<{ message?: { subject: string; data: string } }>("MSG.GET", { seq });
    if (!message) continue;
    const other = headers();
    other.set("Nats-Msg-Id", `again-${seq}`);
    const data = Buffer.from(message.data, "base64");
    await connection.request(message.subject, data, { headers: other, timeout: 5_000 });
  }
  await connection.close();
}

/** Counts the batches in the stream. */
export async function messagesIn(nats: NatsServer): Promise<number> {
  const connection = await connect({ servers: `127.0.0.1:${nats.port}` });
  const answer = await connection.request("$JS.API.STREAM.INFO.MUSTER_INGEST", "", { timeout: 5_000 });
  await connection.close();
  return answer.json<{ state: { messages: number } }>().state.messages;
}
