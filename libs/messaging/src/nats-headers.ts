/** The port's plain headers in the client's form. */
import { headers as createHeaders } from '@nats-io/transport-node';
import type { MsgHdrs } from '@nats-io/transport-node';
import type { WireHeaders } from './wire';

export function toNatsHeaders(headers: WireHeaders): MsgHdrs {
  const result = createHeaders();
  for (const [name, value] of Object.entries(headers)) result.set(name, value);
  return result;
}
