/**
 * Splits a byte stream into messages; a length outside the limits ends the connection before anything is buffered for
 * it.
 */
import { headerBytes, ProtocolError } from './messages';

export interface Framing {
  /** Adds received bytes and returns the complete messages. Throws ProtocolError for an impossible length. */
  push(chunk: Buffer): Buffer[];
}

export function createFraming(maxBytes: number): Framing {
  let parts: Buffer[] = [];
  let buffered = 0;
  let expected = 0;

  const gather = (): Buffer => {
    const [only] = parts;
    const all = parts.length === 1 && only ? only : Buffer.concat(parts, buffered);
    parts = [all];
    return all;
  };

  return {
    push: (chunk) => {
      parts.push(chunk);
      buffered += chunk.length;
      const messages: Buffer[] = [];
      for (;;) {
        if (expected === 0) {
          if (buffered < 4) break;
          expected = gather().readInt32LE(0);
          if (expected < headerBytes || expected > maxBytes) throw new ProtocolError(`message length ${expected}`);
        }
        if (buffered < expected) break;
        const all = gather();
        messages.push(all.subarray(0, expected));
        parts = [all.subarray(expected)];
        buffered -= expected;
        expected = 0;
      }
      return messages;
    },
  };
}
