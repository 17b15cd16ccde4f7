import type { Frame } from "../codec/cursor.ts";
import { type ConnectPacket, readConnect } from "../codec/read-connect.ts";
import { writeConnack } from "../codec/writers.ts";
import { connackCode } from "../policy/answers.ts";
import type { ConnectAnswer, Credential } from "../policy/policy.ts";
import { admit } from "./admit.ts";
import type { Session } from "./session.ts";

const ACCEPTED = 0;
/** MQTT gives a client one and a half times its keep alive [MQTT-3.1.2-24]. */
const SILENCE_MS = 1_500;

/** Takes a CONNECT: nothing else of the client is handled until it is answered. Throws {@link PacketProblem}. */
export function takeConnect(session: Session, frame: Frame): void {
  const packet = readConnect(frame);
  session.version = packet.version;
  session.clientId = packet.clientId;
  session.will = packet.will;
  session.maxSilenceMs = packet.keepAlive * SILENCE_MS;
  session.inbound.pauseForConnect();
  void answer(session, credentialOf(session.presented, packet));
}

async function answer(session: Session, credential: Credential): Promise<void> {
  const { deps } = session;
  const refused = await admit(deps, session, credential).catch((error: Error): ConnectAnswer => {
    deps.logger.error({ err: error }, "admitting a client failed");
    return "server_unavailable";
  });
  if (refused === undefined) accept(session);
  else refuse(session, refused);
}

function accept(session: Session): void {
  const { deps } = session;
  session.accepted = true;
  session.outbound.packet(writeConnack(ACCEPTED));
  deps.listener.authenticated(session.socket, () => session.close("evicted"));
  if (session.isClosed) return;
  session.awaitKeepAlive();
  session.budget = deps.inbound.open(session.principal!.tenantId, () => session.inbound.resumeInBudget());
  session.inbound.accept(session.budget);
}

function refuse(session: Session, refused: ConnectAnswer): void {
  if (session.isClosed) return;
  const code = connackCode(refused, session.version);
  if (code !== undefined) session.outbound.packet(writeConnack(code));
  session.close(refused);
}

/** A certificate authenticates alone; user name and password count only without one. */
function credentialOf(presented: Credential, { username, password }: ConnectPacket): Credential {
  if (presented.kind === "certificate") return presented;
  if (username === undefined || password === undefined) return { kind: "none" };
  return { kind: "password", username, password: password.toString("utf8") };
}
