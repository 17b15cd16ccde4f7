import type { TLSSocket } from "node:tls";

const END_OF_HEAD = "\r\n\r\n";

/** The controls of a paced connection. */
export interface PacedReading {
  /** Resumes reading; to be called when the connection may be read again. */
  flow(): void;
  /** Returns the number of bytes read that the parser does not have yet. */
  waitingBytes(): number;
}

/**
 * Passes a connection's bytes to the HTTP parser one request head at a time, and stops while `mayRead` returns false.
 * Without this, Node would parse everything that has arrived, possibly thousands of pipelined requests, before the
 * first one is answered. The bytes of one read, about 64 KiB, may wait; the socket is not read again until the parser
 * has them.
 *
 * @param socket after Node's HTTP server has taken it
 * @param onWaiting called when bytes are waiting
 */
export function paceReading(socket: TLSSocket, mayRead: () => boolean, onWaiting: () => void): PacedReading {
  const push = socket.push.bind(socket);
  const read = socket._read.bind(socket);
  const waiting: Buffer[] = [];
  let ended = false;
  /** The bytes that the stream requested and that may not be read yet. */
  let wanted = 0;

  function flow(): boolean {
    for (let head = takeHead(); head; head = takeHead()) push(head);
    if (waiting.length > 0) return false;
    if (ended) return push(null);
    if (wanted > 0 && mayRead()) {
      const size = wanted;
      wanted = 0;
      read(size);
    }
    return mayRead();
  }

  function takeHead(): Buffer | undefined {
    const [first] = waiting;
    if (!first || socket.destroyed || !mayRead() || socket.isPaused()) return undefined;
    const end = first.indexOf(END_OF_HEAD);
    // A head that continues in the next chunk is completed by it.
    if (end < 0 || end + END_OF_HEAD.length === first.length) return waiting.shift();
    waiting[0] = first.subarray(end + END_OF_HEAD.length);
    return first.subarray(0, end + END_OF_HEAD.length);
  }

  // The stream requests more after each pushed head.
  socket._read = (size: number) => {
    if (waiting.length > 0 || !mayRead()) wanted = size;
    else read(size);
  };
  socket.push = (chunk: Buffer | null) => {
    if (chunk === null) ended = true;
    else waiting.push(chunk);
    const flows = flow();
    if (waiting.length > 0) onWaiting();
    return flows;
  };
  // The parser has taken the socket's handle, and bypasses `push` until another listener wants the data.
  socket.on("data", ignore);
  socket.on("resume", flow);
  return { flow, waitingBytes: () => waiting.reduce((bytes, { length }) => bytes + length, 0) };
}

function ignore(): void {}
