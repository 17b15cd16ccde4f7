import type { TLSSocket } from "node:tls";

const END_OF_HEAD = "\r\n\r\n";

/** What `paceReading` does for a connection. */
export interface PacedReading {
  /** Goes on reading; to be called when the connection may be read again. */
  flow(): void;
  /** Bytes that were read and that the parser does not have yet. */
  waitingBytes(): number;
}

/**
 * Hands a connection's bytes to the HTTP parser one request head at a time, and stops while `mayRead` says so: Node parses everything
 * that has arrived, thousands of pipelined requests, before the first one is answered. Bytes of one read, some 64 KiB, may wait; the socket is
 * not read again until the parser has them.
 *
 * @param socket after Node's HTTP server has taken it
 * @param onWaiting called when bytes wait
 */
export function paceReading(socket: TLSSocket, mayRead: () => boolean, onWaiting: () => void): PacedReading {
  const push = socket.push.bind(socket);
  const read = socket._read.bind(socket);
  const waiting: Buffer[] = [];
  let ended = false;
  /** Bytes that the stream asked for and that may not be read yet. */
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
    // A head that goes on in the next chunk is completed by it.
    if (end < 0 || end + END_OF_HEAD.length === first.length) return waiting.shift();
    waiting[0] = first.subarray(end + END_OF_HEAD.length);
    return first.subarray(0, end + END_OF_HEAD.length);
  }

  // The stream asks for more after each head that is pushed.
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
  // The parser has taken the socket's handle, and reads past `push` until another listener wants the data.
  socket.on("data", ignore);
  socket.on("resume", flow);
  return { flow, waitingBytes: () => waiting.reduce((bytes, { length }) => bytes + length, 0) };
}

function ignore(): void {}
