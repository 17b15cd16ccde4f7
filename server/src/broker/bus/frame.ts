import type { KnownSession } from "../../connections/connections.ts";
import { Cursor } from "../codec/cursor.ts";
import { readProperties } from "../codec/read-properties.ts";
import { writeProperties } from "../codec/write-properties.ts";
import { Message, type Qos } from "../message.ts";
import type { BusMessage, Route, SharedMessage } from "./bus.ts";
import { FrameCursor, FrameWriter, lengthOf } from "./frame-fields.ts";

/**
 * The protocol version; processes of different versions exchange no messages. A new frame that only one kind of bus
 * uses needs no new version.
 */
export const BUS_VERSION = 2;

export type BusFrame =
  /** The first frame of a connection: the process that has opened it. */
  | { type: "hello"; version: number; name: string }
  /** A change of interest; its number counts the changes of one process. */
  | { type: "interest"; number: number; tenantId: string; filter: string; isOn: boolean }
  /** The sender has the connection of an owner's stored session. */
  | { type: "serve"; number: number; ownerId: string }
  /** The sender no longer has it; the session is included as stored then. */
  | { type: "release"; number: number; ownerId: string; session: KnownSession | undefined }
  /** Everything sent for the owner earlier is stored. */
  | { type: "flushed"; ownerId: string }
  /** All interest up to this number has been sent. */
  | { type: "all"; number: number }
  /** The sender knows of all interest up to this number. */
  | { type: "known"; number: number }
  /** The process stops. */
  | { type: "bye"; name: string }
  /** The first frame of a batch over NATS; batches are numbered from 1 in each epoch of their link. */
  | ({ type: "batch" } & BatchNumber)
  /**
   * All batches up to this one have arrived; epoch 0: none is known. `isGap`: the next one is missing, but a later one
   * has arrived.
   */
  | ({ type: "ack"; isGap: boolean } & BatchNumber)
  | ({ type: "publish" } & BusMessage)
  | ({ type: "shared" } & SharedMessage);

export interface BatchNumber {
  /** The process that sends the frame. */
  from: string;
  epoch: number;
  number: number;
}

const TYPE = {
  hello: 1,
  interest: 2,
  all: 3,
  known: 4,
  publish: 5,
  shared: 6,
  bye: 7,
  batch: 8,
  ack: 9,
  serve: 10,
  release: 11,
  flushed: 12,
} as const;
const RETAIN = 4;
const HAS_PROPERTIES = 8;

/** Encodes a hello. Every frame is its length in four bytes, its type in one, and its fields. */
export function encodeHello(name: string): Buffer {
  return new FrameWriter(TYPE.hello, 1 + lengthOf(name)).byte(BUS_VERSION).text(name).done();
}

export function encodeInterest(number: number, tenantId: string, filter: string, isOn: boolean): Buffer {
  const writer = new FrameWriter(TYPE.interest, 5 + lengthOf(tenantId) + lengthOf(filter));
  return writer.uint32(number).byte(Number(isOn)).text(tenantId).text(filter).done();
}

export function encodeServe(number: number, ownerId: string): Buffer {
  return new FrameWriter(TYPE.serve, 4 + lengthOf(ownerId)).uint32(number).text(ownerId).done();
}

export function encodeRelease(number: number, ownerId: string, session: KnownSession | undefined): Buffer {
  const stored = Buffer.from(session ? JSON.stringify(session) : "");
  const writer = new FrameWriter(TYPE.release, 4 + lengthOf(ownerId) + stored.length);
  return writer.uint32(number).text(ownerId).bytes(stored).done();
}

export function encodeFlushed(ownerId: string): Buffer {
  return new FrameWriter(TYPE.flushed, lengthOf(ownerId)).text(ownerId).done();
}

export function encodeNumber(type: "all" | "known", number: number): Buffer {
  return new FrameWriter(TYPE[type], 4).uint32(number).done();
}

export function encodeBye(name: string): Buffer {
  return new FrameWriter(TYPE.bye, lengthOf(name)).text(name).done();
}

export function encodeBatchHead({ from, epoch, number }: BatchNumber): Buffer {
  return new FrameWriter(TYPE.batch, lengthOf(from) + 10).text(from).uint32(epoch).uint48(number).done();
}

export function encodeAck({ from, epoch, number }: BatchNumber, isGap: boolean): Buffer {
  const writer = new FrameWriter(TYPE.ack, lengthOf(from) + 11).text(from).uint32(epoch).uint48(number);
  return writer.byte(Number(isGap)).done();
}

/** @param nowMs by the monotonic clock: the message's waiting time is subtracted from its expiry */
export function encodePublish({ tenantId, message, retain, route }: BusMessage, nowMs: number): Buffer {
  const properties = propertiesOf(message, nowMs);
  const length = messageLength(tenantId, message, properties) + routeLength(route);
  const writer = new FrameWriter(TYPE.publish, length);
  writeMessage(writer, tenantId, message, retain, properties);
  writeRoute(writer, route);
  return writer.bytes(message.payload).done();
}

function routeLength({ storedFor, servedBy }: Route): number {
  let length = 4;
  for (const owner of storedFor) length += lengthOf(owner);
  for (const [owner, name] of servedBy) length += lengthOf(owner) + lengthOf(name) + 1;
  return length;
}

function writeRoute(writer: FrameWriter, { storedFor, servedBy, unread }: Route): void {
  writer.uint16(storedFor.size);
  for (const owner of storedFor) writer.text(owner);
  writer.uint16(servedBy.size);
  for (const [owner, name] of servedBy)
    writer
      .text(owner)
      .text(name)
      .byte(Number(unread.has(owner)));
}

/** Encodes like {@link encodePublish}. */
export function encodeShared({ tenantId, message, retain, group, hops }: SharedMessage, nowMs: number): Buffer {
  const properties = propertiesOf(message, nowMs);
  const length = messageLength(tenantId, message, properties) + lengthOf(group) + 1;
  const writer = new FrameWriter(TYPE.shared, length);
  writeMessage(writer, tenantId, message, retain, properties);
  return writer.text(group).byte(hops).bytes(message.payload).done();
}

function propertiesOf(message: Message, nowMs: number): Buffer | undefined {
  const properties = message.propertiesAt(nowMs);
  return properties && writeProperties(properties);
}

function messageLength(tenantId: string, { topic, payload }: Message, properties: Buffer | undefined): number {
  return 1 + lengthOf(tenantId) + lengthOf(topic) + (properties?.length ?? 0) + payload.length;
}

function writeMessage(
  writer: FrameWriter,
  tenantId: string,
  { topic, qos }: Message,
  retain: boolean,
  properties: Buffer | undefined,
): void {
  writer.byte(qos | (retain ? RETAIN : 0) | (properties ? HAS_PROPERTIES : 0));
  writer.text(tenantId).text(topic);
  if (properties) writer.bytes(properties);
}

/** Decodes a frame without its length. A payload shares the frame's memory. @throws {Error} if it is malformed */
export function decodeFrame(frame: Buffer, nowMs: number): BusFrame {
  const cursor = new FrameCursor(frame, 1);
  switch (frame[0]) {
    case TYPE.hello:
      return { type: "hello", version: cursor.byte(), name: cursor.text() };
    case TYPE.interest: {
      const [number, isOn] = [cursor.uint32(), cursor.byte() === 1];
      return { type: "interest", number, isOn, tenantId: cursor.text(), filter: cursor.text() };
    }
    case TYPE.serve:
      return { type: "serve", number: cursor.uint32(), ownerId: cursor.text() };
    case TYPE.release:
      return decodeRelease(cursor);
    case TYPE.flushed:
      return { type: "flushed", ownerId: cursor.text() };
    case TYPE.all:
      return { type: "all", number: cursor.uint32() };
    case TYPE.known:
      return { type: "known", number: cursor.uint32() };
    case TYPE.bye:
      return { type: "bye", name: cursor.text() };
    case TYPE.batch:
      return { type: "batch", ...readBatchNumber(cursor) };
    case TYPE.ack:
      return { type: "ack", ...readBatchNumber(cursor), isGap: cursor.byte() === 1 };
    case TYPE.publish:
      return decodePublish(cursor, nowMs);
    case TYPE.shared:
      return decodeShared(cursor, nowMs);
    default:
      throw new Error(`unknown frame type ${frame[0]}`);
  }
}

function readBatchNumber(cursor: FrameCursor): BatchNumber {
  return { from: cursor.text(), epoch: cursor.uint32(), number: cursor.uint48() };
}

function decodePublish(cursor: FrameCursor, nowMs: number): BusFrame {
  const head = readHead(cursor);
  const route = readRoute(cursor);
  const { tenantId, retain } = head;
  return { type: "publish", tenantId, retain, route, message: messageOf(head, cursor, nowMs) };
}

function readRoute(cursor: FrameCursor): Route {
  const storedFor = new Set<string>();
  for (let left = cursor.uint16(); left > 0; left--) storedFor.add(cursor.text());
  const servedBy = new Map<string, string>();
  const unread = new Set<string>();
  for (let left = cursor.uint16(); left > 0; left--) {
    const owner = cursor.text();
    servedBy.set(owner, cursor.text());
    if (cursor.byte() === 1) unread.add(owner);
  }
  return { storedFor, servedBy, unread };
}

function decodeRelease(cursor: FrameCursor): BusFrame {
  const [number, ownerId] = [cursor.uint32(), cursor.text()];
  const stored = cursor.rest();
  return { type: "release", number, ownerId, session: stored.length === 0 ? undefined : sessionOf(stored) };
}

function sessionOf(stored: Buffer): KnownSession {
  const session = JSON.parse(stored.toString("utf8")) as Omit<KnownSession, "expiresAt"> & { expiresAt: string };
  return { ...session, expiresAt: new Date(session.expiresAt) };
}

function decodeShared(cursor: FrameCursor, nowMs: number): BusFrame {
  const head = readHead(cursor);
  const [group, hops] = [cursor.text(), cursor.byte()];
  const { tenantId, retain } = head;
  return { type: "shared", tenantId, retain, group, hops, message: messageOf(head, cursor, nowMs) };
}

type Head = ReturnType<typeof readHead>;

function readHead(cursor: FrameCursor) {
  const flags = cursor.byte();
  const [tenantId, topic] = [cursor.text(), cursor.text()];
  const properties = flags & HAS_PROPERTIES ? cursor.with((at, frame) => readAt(at, frame)) : undefined;
  return { qos: (flags & 3) as Qos, retain: (flags & RETAIN) !== 0, tenantId, topic, properties };
}

function readAt(at: number, frame: Buffer) {
  const cursor = new Cursor({ first: 0, bytes: frame, bodyStart: at, end: frame.length });
  const value = readProperties(cursor, "publish");
  return { value, at: cursor.at };
}

function messageOf({ topic, qos, properties }: Head, cursor: FrameCursor, nowMs: number): Message {
  return new Message(topic, cursor.rest(), qos, properties, nowMs);
}
