/** The port's plain headers in the client's form, and the other way round. */
import { headers as createHeaders } from '@nats-io/transport-node';
import type { MsgHdrs } from '@nats-io/transport-node';
import type { WireHeaders } from './wire';

export function toNatsHeaders(headers: WireHeaders): MsgHdrs {
  const result = createHeaders();
  for (const [name, value] of Object.entries(headers)) result.set(name, value);
  return result;
}

/**
 * The values of each header of a message that arrived. Another party can send names and values that the client refuses to
 * read, such as a name with a blank in it. No header counts then: a message that no handler could read would come again
 * without end, and take a place among the unacknowledged ones.
 */
export function receivedHeaders(read: () => MsgHdrs | undefined): readonly (readonly [string, readonly string[]])[] {
  try {
    return [...(read() ?? [])];
  } catch {
    return [];
  }
}
