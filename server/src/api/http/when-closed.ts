import type { ServerResponse } from "node:http";

/**
 * Resolves when nothing of an answer can be sent any more: it was sent whole, or its connection has closed, also before this was asked. Of
 * a pipelined request that waits for its turn only the connection tells that.
 */
export function whenClosed(response: ServerResponse): Promise<void> {
  const { socket } = response.req;
  if (response.destroyed || socket.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const closed = () => {
      response.off("close", closed);
      socket.off("close", closed);
      resolve();
    };
    response.once("close", closed);
    socket.once("close", closed);
  });
}
