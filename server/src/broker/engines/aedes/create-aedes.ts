import { Aedes, type AuthenticateError, type Client, type ConnectPacket } from "aedes";
import { SECOND } from "../../../lib/clock.ts";
import { DEFAULT_LIMITS } from "../../../lib/limits/limits.ts";
import type { EngineOptions } from "../../engine.ts";
import type { InboundBudget } from "../../inbound-budget.ts";
import { connackCode } from "../../policy/answers.ts";
import type { ConnectAnswer, Credential } from "../../policy/policy.ts";
import { type AdmitDeps, admitClient } from "./admit-client.ts";
import { type ClientSession, sessionOf, type Will } from "./client-session.ts";
import { handlePublish } from "./handle-publish.ts";

export interface AedesDeps extends Pick<EngineOptions, "limits" | "logger">, AdmitDeps {
  inbound: InboundBudget;
  /** The client has its CONNACK. */
  onAccepted(session: ClientSession): void;
}

/** An aedes that asks the policy about every CONNECT, PUBLISH, SUBSCRIBE and delivery. */
export function createAedes(deps: AedesDeps): Aedes {
  const { policy, limits, logger } = deps;
  const aedes = new Aedes({
    id: "muster",
    connectTimeout: limits.mqttConnectSeconds * SECOND,
    maxClientsIdLength: DEFAULT_LIMITS.mqttClientIdBytes,
    maxTopicLevels: DEFAULT_LIMITS.mqttTopicLevels,
    drainTimeout: 0,
    preConnect(client, packet, done) {
      prepareConnect(sessionOf(client), packet);
      done(null, true);
    },
    authenticate: (client, username, password, done) => authenticate(deps, client, { username, password }, done),
    authorizePublish(client, packet, done) {
      if (client === null) return done(new Error("a publish without a client"));
      handlePublish(policy, aedes, sessionOf(client), packet, done);
    },
    authorizeSubscribe(client, subscription, done) {
      const { principal } = sessionOf(client);
      done(null, principal && policy.maySubscribe(principal, subscription.topic) ? subscription : null);
    },
    authorizeForward(client, packet) {
      const { principal } = sessionOf(client);
      return principal && policy.mayReceive(principal, packet.topic) ? packet : null;
    },
  });
  aedes.on("clientReady", (client) => {
    const session = sessionOf(client);
    deps.onAccepted(session);
    session.accept(deps.inbound, session.principal!);
  });
  aedes.on("keepaliveTimeout", (client) => {
    sessionOf(client).reason ??= "keepalive_timeout";
  });
  aedes.on("clientError", () => undefined);
  aedes.on("connectionError", () => undefined);
  (aedes as NodeJS.EventEmitter).on("error", (error: Error) => logger.error({ err: error }, "the MQTT engine failed"));
  return aedes;
}

/** Takes the will out of the CONNECT: we publish it, under the same rules as any message. */
function prepareConnect(session: ClientSession, packet: ConnectPacket): void {
  session.clientId = packet.clientId;
  if (packet.will) session.will = { ...packet.will, payload: Buffer.from(packet.will.payload) } as Will;
  delete packet.will;
  packet.clean = true;
}

type Done = (error: AuthenticateError | null, success: boolean | null) => void;

function authenticate(
  deps: AedesDeps,
  client: Client,
  login: { username: string | undefined; password: Buffer | undefined },
  done: Done,
): void {
  const session = sessionOf(client);
  const refuse = (answer: ConnectAnswer) =>
    done(Object.assign(new Error(answer), { returnCode: connackCode(answer, 4) }) as AuthenticateError, null);
  admitClient(deps, session, credentialOf(session.presented, login)).then(
    (answer) => {
      if (answer === undefined) return done(null, true);
      session.reason ??= answer;
      refuse(answer);
    },
    (error: Error) => {
      deps.logger.error({ err: error }, "admitting a client failed");
      refuse("server_unavailable");
    },
  );
}

/** A certificate authenticates alone; user name and password count only without one. */
function credentialOf(
  presented: Credential,
  { username, password }: { username: string | undefined; password: Buffer | undefined },
): Credential {
  if (presented.kind === "certificate") return presented;
  if (username === undefined || password === undefined) return { kind: "none" };
  return { kind: "password", username, password: password.toString("utf8") };
}
