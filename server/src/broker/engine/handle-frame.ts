import type { Frame } from "../codec/cursor.ts";
import { PACKET_TYPE } from "../codec/packet-types.ts";
import { type AckPacket, checkNoBody, readAck, readAck5 } from "../codec/read-acks.ts";
import { PINGRESP } from "../codec/writers.ts";
import { takeConnect } from "./connect.ts";
import type { Session } from "./session.ts";
import { takeSubscribe, takeUnsubscribe } from "./subscribe.ts";
import { takeDisconnect } from "./take-disconnect.ts";
import { takePublish, takeRelease } from "./take-publish.ts";

/** Handles one packet of a client. @param bytes the length of the whole packet @throws {PacketProblem} */
export function handleFrame(session: Session, frame: Frame, bytes: number): void {
  switch (frame.first >> 4) {
    case PACKET_TYPE.publish:
      takePublish(session, frame, bytes);
      break;
    case PACKET_TYPE.puback:
      takeAck(session, frame, "puback");
      break;
    case PACKET_TYPE.pubrec:
      takeAck(session, frame, "pubrec");
      break;
    case PACKET_TYPE.pubcomp:
      takeAck(session, frame, "pubcomp");
      break;
    case PACKET_TYPE.pubrel:
      takeRelease(session, ackOf(session, frame).packetId);
      break;
    case PACKET_TYPE.subscribe:
      takeSubscribe(session, frame);
      break;
    case PACKET_TYPE.unsubscribe:
      takeUnsubscribe(session, frame);
      break;
    case PACKET_TYPE.connect:
      takeConnect(session, frame);
      break;
    case PACKET_TYPE.pingreq:
      checkNoBody(frame);
      session.outbound.packet(PINGRESP);
      break;
    case PACKET_TYPE.disconnect:
      takeDisconnect(session, frame);
      break;
  }
}

function takeAck(session: Session, frame: Frame, type: "puback" | "pubrec" | "pubcomp"): void {
  const { packetId, reason } = ackOf(session, frame);
  session.outbound.acknowledged(packetId, type, reason);
}

function ackOf({ version }: Session, frame: Frame): AckPacket {
  return version === 5 ? readAck5(frame) : { packetId: readAck(frame), reason: 0 };
}
