/** A smaller packet costs little, and mostly shares its memory with others. */
const LARGE = 8 * 1024;

/** Whether `bytes` lie in memory in which nothing else is than their packet of so many bytes; `false` for a small one. */
export function hasOwnMemory({ buffer }: Buffer, packetLength: number): boolean {
  return packetLength >= LARGE && buffer.byteLength === packetLength;
}

/**
 * Frees the memory of a large packet, where it has its own: the garbage collector would let some 64 MB of such memory wait before it does.
 * `bytes`, and all that shares their memory, are empty afterwards.
 */
export function freeMemory(bytes: Buffer, packetLength: number): void {
  if (hasOwnMemory(bytes, packetLength)) (bytes.buffer as ArrayBuffer).transfer(0);
}
