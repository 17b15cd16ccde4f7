import type { FastifyReply } from "fastify";

/** Adds a request header on which the answer depends to `Vary` (RFC 9110 12.5.5). */
export function vary(reply: FastifyReply, header: string): void {
  const before = reply.getHeader("vary");
  reply.header("vary", before === undefined ? header : `${before}, ${header}`);
}
