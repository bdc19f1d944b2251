/** The wire messages of MongoDB that current drivers send: OP_MSG, and OP_QUERY for the first handshake. */
import { CommandError } from '../errors';
import { decodeDoc, docLength } from '../bson/decode';
import { encodeAfter } from '../bson/encode';
import type { Doc, Value } from '../bson/values';

export const headerBytes = 16;
const opReply = 1;
const opQuery = 2004;
const opMsg = 2013;

const checksumPresent = 1;
const moreToCome = 2;
const requiredFlags = 0xffff;

export interface Request {
  requestId: number;
  kind: 'message' | 'query';
  command: Doc;
  database: string;
  /** False when the client wants no reply. */
  expectsReply: boolean;
}

/** A message that cannot be answered; the connection is closed. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';
}

/**
 * Reads one complete message. Throws ProtocolError for a message that cannot be answered, CommandError for one that
 * can.
 */
export function readRequest(message: Buffer): Request {
  const requestId = message.readInt32LE(4);
  const opCode = message.readInt32LE(12);
  if (opCode === opMsg) return readMessage(message, requestId);
  if (opCode === opQuery) return readQuery(message, requestId);
  throw new ProtocolError(`unsupported opcode ${opCode}`);
}

function readMessage(message: Buffer, requestId: number): Request {
  if (message.length < headerBytes + 5) throw new ProtocolError('message too short');
  const flags = message.readUInt32LE(headerBytes);
  if ((flags & requiredFlags & ~(checksumPresent | moreToCome)) !== 0)
    throw new ProtocolError('unknown required flag bits');
  if (flags & checksumPresent) throw new CommandError(238, 'message checksums are not offered by this store');
  const command = readSections(message);
  const database = command.get('$db');
  if (typeof database !== 'string') throw new CommandError(40571, 'OP_MSG requests require a $db argument');
  return { requestId, kind: 'message', command, database, expectsReply: (flags & moreToCome) === 0 };
}

function readSections(message: Buffer): Doc {
  let body: Doc | undefined;
  const sequences: [string, Value[]][] = [];
  let at = headerBytes + 4;
  while (at < message.length) {
    const kind = message[at];
    at += 1;
    if (kind === 0) {
      if (body) throw new CommandError(40430, 'Multiple body sections in message');
      const length = docLength(message, at, message.length);
      body = decodeDoc(message, at, at + length);
      at += length;
    } else if (kind === 1) {
      const end = sequenceEnd(message, at);
      sequences.push(readSequence(message, at, end));
      at = end;
    } else {
      throw new CommandError(40432, `Unknown section kind ${String(kind)}`);
    }
  }
  if (!body) throw new CommandError(40587, 'OP_MSG messages must have a body');
  for (const [name, documents] of sequences) {
    if (body.has(name)) throw new CommandError(40433, 'Duplicate field between body and document sequence');
    body.set(name, documents);
  }
  return body;
}

function sequenceEnd(message: Buffer, at: number): number {
  if (at + 5 > message.length) throw new ProtocolError('document sequence too short');
  const size = message.readInt32LE(at);
  if (size < 5 || at + size > message.length) throw new ProtocolError('document sequence length');
  return at + size;
}

function readSequence(message: Buffer, start: number, end: number): [string, Value[]] {
  const stop = message.indexOf(0, start + 4);
  if (stop < 0 || stop >= end) throw new ProtocolError('unterminated sequence name');
  const documents: Value[] = [];
  for (let at = stop + 1; at < end;) {
    const length = docLength(message, at, end);
    documents.push(decodeDoc(message, at, at + length));
    at += length;
  }
  return [message.toString('utf8', start + 4, stop), documents];
}

function readQuery(message: Buffer, requestId: number): Request {
  const nameEnd = message.indexOf(0, headerBytes + 4);
  if (nameEnd < 0 || nameEnd + 9 > message.length) throw new ProtocolError('malformed query');
  const namespace = message.toString('utf8', headerBytes + 4, nameEnd);
  const query = decodeDoc(message, nameEnd + 9, message.length);
  const inner = query.get('$query');
  const command = inner instanceof Map ? inner : query;
  const [name] = command.keys();
  if (!namespace.endsWith('.$cmd') || !['ismaster', 'hello'].includes((name ?? '').toLowerCase())) {
    throw new CommandError(
      352,
      `Unsupported OP_QUERY command: ${name ?? ''}. The client driver may require an upgrade.`,
    );
  }
  return { requestId, kind: 'query', command, database: namespace.slice(0, -'.$cmd'.length), expectsReply: true };
}

/** Whether a message is the legacy query, which is answered in the legacy form. */
export const isQuery = (message: Buffer): boolean => message.readInt32LE(12) === opQuery;

let lastReplyId = 0;

function header(bytes: Buffer, responseTo: number, opCode: number): void {
  lastReplyId = (lastReplyId + 1) & 0x7fffffff;
  bytes.writeInt32LE(bytes.length, 0);
  bytes.writeInt32LE(lastReplyId, 4);
  bytes.writeInt32LE(responseTo, 8);
  bytes.writeInt32LE(opCode, 12);
}

/** The reply message in the form of the request. */
export function writeReply(reply: Doc, responseTo: number, query: boolean): Buffer {
  const prefix = query ? 20 : 5;
  const bytes = encodeAfter(headerBytes + prefix, reply);
  bytes.fill(0, 0, headerBytes + prefix);
  header(bytes, responseTo, query ? opReply : opMsg);
  if (query) bytes.writeInt32LE(1, headerBytes + 16);
  return bytes;
}
