import type { TLSSocket } from "node:tls";

const END_OF_HEAD = "\r\n\r\n";

/**
 * Hands a connection's bytes to the HTTP parser one request head at a time, and stops while `mayRead` says so: Node parses everything
 * that has arrived, thousands of pipelined requests, before the first one is answered. What waits is what was read at once, at most 128 KiB;
 * then the socket is not read further.
 *
 * @param socket after Node's HTTP server has taken it
 * @returns goes on reading; to be called when `mayRead` may have changed
 */
export function paceReading(socket: TLSSocket, mayRead: () => boolean): () => void {
  const push = socket.push.bind(socket);
  let waiting: Buffer | undefined;
  let ended = false;

  function flow(): boolean {
    while (waiting) {
      if (socket.destroyed || !mayRead() || socket.isPaused()) return false;
      const end = waiting.indexOf(END_OF_HEAD);
      const [head, rest] = splitAt(waiting, end < 0 ? waiting.length : end + END_OF_HEAD.length);
      waiting = rest;
      push(head);
    }
    return ended ? push(null) : mayRead();
  }

  socket.push = (chunk: Buffer | null) => {
    if (chunk === null) ended = true;
    else waiting = waiting ? Buffer.concat([waiting, chunk]) : chunk;
    return flow();
  };
  // The parser has taken the socket's handle, and reads past `push` until another listener wants the data.
  socket.on("data", ignore);
  socket.on("resume", flow);
  return flow;
}

function splitAt(bytes: Buffer, at: number): [Buffer, Buffer | undefined] {
  return at === bytes.length ? [bytes, undefined] : [bytes.subarray(0, at), bytes.subarray(at)];
}

function ignore(): void {}
