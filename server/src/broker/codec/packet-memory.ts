/** Smaller packets cost little, and mostly share their memory with others. */
const LARGE = 8 * 1024;

/** Returns whether only their packet, of this length, is in the memory of `bytes`; false for a small packet. */
export function hasOwnMemory({ buffer }: Buffer, packetLength: number): boolean {
  return packetLength >= LARGE && buffer.byteLength === packetLength;
}

/**
 * Frees the memory of a large packet that shares it with nothing else; the garbage collector lets about 64 MB of such
 * memory accumulate first. `bytes`, and everything that shares their memory, are empty afterwards.
 */
export function freeMemory(bytes: Buffer, packetLength: number): void {
  if (hasOwnMemory(bytes, packetLength)) (bytes.buffer as ArrayBuffer).transfer(0);
}
