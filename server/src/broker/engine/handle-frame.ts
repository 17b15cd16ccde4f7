import type { Frame } from "../codec/cursor.ts";
import { PACKET_TYPE } from "../codec/packet-types.ts";
import { checkNoBody, readAck } from "../codec/read-acks.ts";
import { PINGRESP } from "../codec/writers.ts";
import { takeConnect } from "./connect.ts";
import type { Session } from "./session.ts";
import { takeSubscribe, takeUnsubscribe } from "./subscribe.ts";
import { takePublish, takeRelease } from "./take-publish.ts";

/** Handles one packet of a client. @param bytes of the whole packet. Throws {@link PacketProblem}. */
export function handleFrame(session: Session, frame: Frame, bytes: number): void {
  switch (frame.first >> 4) {
    case PACKET_TYPE.publish:
      takePublish(session, frame, bytes);
      break;
    case PACKET_TYPE.puback:
      session.outbound.acknowledged(readAck(frame), "puback");
      break;
    case PACKET_TYPE.pubrec:
      session.outbound.acknowledged(readAck(frame), "pubrec");
      break;
    case PACKET_TYPE.pubcomp:
      session.outbound.acknowledged(readAck(frame), "pubcomp");
      break;
    case PACKET_TYPE.pubrel:
      takeRelease(session, readAck(frame));
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
      checkNoBody(frame);
      session.close("disconnected");
      break;
  }
}
