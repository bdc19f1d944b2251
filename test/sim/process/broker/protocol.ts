/** The broker's protocol on a connection, from the server's side: what a client sends, read, and what it gets, written. */

export type ClientOperation =
  | { readonly is: 'CONNECT' | 'PING' | 'PONG' }
  | { readonly is: 'SUB'; readonly subject: string; readonly queue: string; readonly sid: string }
  | { readonly is: 'UNSUB'; readonly sid: string; readonly most: number }
  | { readonly is: 'PUB'; readonly message: Published };

export interface Published {
  readonly subject: string;
  readonly reply: string;
  /** The header block as it was sent; empty: none. */
  readonly headers: Buffer;
  readonly payload: Buffer;
}

const lineEnd = '\r\n';
const none = Buffer.alloc(0);

/** `headers` and `payload` with their sizes, as they follow the first line of a message. */
function sizesOf(line: string): { readonly headers: number; readonly all: number } {
  const sizes = line.split(' ').map(Number);
  return line.startsWith('H') ? { headers: sizes.at(-2)!, all: sizes.at(-1)! } : { headers: 0, all: sizes.at(-1)! };
}

function controlOf(line: string): ClientOperation {
  const [name = '', ...words] = line.split(/\s+/);
  switch (name.toUpperCase()) {
    case 'CONNECT':
    case 'PING':
    case 'PONG':
      return { is: name.toUpperCase() as 'CONNECT' };
    case 'SUB': {
      const [subject = '', second = '', third] = words;
      return { is: 'SUB', subject, queue: third === undefined ? '' : second, sid: third ?? second };
    }
    case 'UNSUB':
      return { is: 'UNSUB', sid: words[0] ?? '', most: Number(words[1] ?? 0) };
    default:
      throw new Error(`the client sent ${JSON.stringify(line.slice(0, 40))}`);
  }
}

/** Reads operations from bytes that arrive in any pieces. */
export function createReader(): (bytes: Buffer) => ClientOperation[] {
  let rest: Buffer = none;
  return (bytes) => {
    rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
    const found: ClientOperation[] = [];
    for (;;) {
      const end = rest.indexOf(lineEnd);
      if (end < 0) return found;
      const line = rest.toString('utf8', 0, end);
      const body = end + lineEnd.length;
      if (!/^H?PUB /i.test(line)) {
        rest = rest.subarray(body);
        found.push(controlOf(line));
        continue;
      }
      const { headers, all } = sizesOf(line);
      if (rest.length < body + all + lineEnd.length) return found;
      const words = line.split(' ');
      const named = words.slice(1, line.startsWith('H') ? -2 : -1);
      found.push({
        is: 'PUB',
        message: {
          subject: named[0] ?? '',
          reply: named[1] ?? '',
          headers: Buffer.from(rest.subarray(body, body + headers)),
          payload: Buffer.from(rest.subarray(body + headers, body + all)),
        },
      });
      rest = rest.subarray(body + all + lineEnd.length);
    }
  };
}

/** A message for a subscription. */
export function messageFor(sid: string, { subject, reply, headers, payload }: Published): Buffer {
  const named = reply === '' ? `${subject} ${sid}` : `${subject} ${sid} ${reply}`;
  const all = headers.length + payload.length;
  const first = headers.length === 0 ? `MSG ${named} ${all}` : `HMSG ${named} ${headers.length} ${all}`;
  return Buffer.concat([Buffer.from(`${first}${lineEnd}`), headers, payload, Buffer.from(lineEnd)]);
}

/** A header block; `status` such as `404 No Messages`. */
export function headerBlock(fields: Readonly<Record<string, string | number>>, status = ''): Buffer {
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}${lineEnd}`);
  return Buffer.from(`NATS/1.0${status === '' ? '' : ` ${status}`}${lineEnd}${lines.join('')}${lineEnd}`);
}

/** The value of a header, or undefined. */
export function headerOf(headers: Buffer, name: string): string | undefined {
  const line = headers
    .toString('utf8')
    .split(lineEnd)
    .find((each) => each.toLowerCase().startsWith(`${name.toLowerCase()}:`));
  return line?.slice(name.length + 1).trim();
}

/** A message without headers. */
export function plain(subject: string, value: unknown): Published {
  return { subject, reply: '', headers: none, payload: Buffer.from(JSON.stringify(value)) };
}

/** A message that carries only a status. */
export function statusOnly(
  subject: string,
  status: string,
  fields: Readonly<Record<string, string | number>> = {},
): Published {
  return { subject, reply: '', headers: headerBlock(fields, status), payload: none };
}
