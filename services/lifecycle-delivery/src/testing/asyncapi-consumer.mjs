// A consumer in plain JavaScript that uses the broker's client and docs/asyncapi.json but no code of this repository:
// every address, header and shape comes from that document. Arguments: document, broker, name, prefix of the subjects.
// It registers, receives two deliveries, reports the first run of the first one as failed, and sends receipts. After a
// failure it continues when it reads a line.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, headers } from '@nats-io/transport-node';
import Ajv from 'ajv';

const [file, servers, consumer, namespace] = process.argv.slice(2);
const document = JSON.parse(readFileSync(file, 'utf8'));
const at = (reference) =>
  reference
    .slice(2)
    .split('/')
    .reduce((value, key) => value[key], document);
const resolved = (value) => (value.$ref ? resolved(at(value.$ref)) : value);
const schemas = new Ajv({ strict: false, validateFormats: false });

const prefixed = (address) =>
  namespace === ''
    ? address
    : address.startsWith('$JS')
      ? address.replace('TENANT', `${namespace.toUpperCase()}_TENANT`)
      : `${namespace}.${address}`;
const addressOf = (operation) => prefixed(resolved(operation.channel).address.replace('{consumer}', consumer));
const sentBy = (operation) => resolved(operation.messages[0]);

const connection = await connect({ servers, inboxPrefix: `_INBOX_${consumer}` });

/** Performs an operation of the document; returns the reply. */
async function perform(name, body, id) {
  const operation = document.operations[name];
  const message = sentBy(operation);
  if (!schemas.validate(message.payload, body)) throw new Error(`${name}: ${schemas.errorsText()}`);
  const given = headers();
  if (message.headers) {
    given.set('ce-id', id);
    given.set('ce-type', message.headers.properties['ce-type'].const);
  }
  const answer = await connection.request(addressOf(operation), JSON.stringify(body), {
    timeout: 10_000,
    noMux: true,
    ...(message.headers && { headers: given }),
  });
  const expected = resolved(operation.reply.messages[0]);
  const shape = answer.data.length > 0 ? answer.json() : null;
  if (shape && !schemas.validate(expected.payload, shape)) throw new Error(`${name} answered: ${schemas.errorsText()}`);
  if (shape?.error) throw new Error(`${name}: ${shape.error.description}`);
  return answer;
}

const registration = { name: consumer, transitions: ['suspended'], registeredBy: `${consumer}-1` };
await perform('register', registration);
process.stdout.write('ready\n');
const acknowledge = sentBy(document.operations.acknowledge).payload.enum;
const [ack, nak] = ['+ACK', '-NAK'].map((word) => acknowledge.find((known) => known === word));
let failed = false;
for (let receipts = 0; receipts < 2;) {
  const delivery = await perform('pullDelivery', { batch: 1, expires: 5_000_000_000 });
  if (delivery.headers?.code === 404 || delivery.headers?.code === 408) continue;
  const { tenantId, operationId, transition } = delivery.json();
  const about = { tenantId, operationId, transition };
  const now = new Date().toISOString();
  if (!failed) {
    failed = true;
    await perform('reportFailure', { ...about, error: 'disk full', failedAt: now }, `failed:${operationId}`);
    // Reports are handled concurrently: if the receipt were handled first, this failure would change nothing.
    process.stdout.write('failed\n');
    await once(process.stdin, 'data');
    delivery.respond(nak);
    continue;
  }
  await perform(
    'sendReceipt',
    { ...about, receiptId: `plain:${operationId}`, effectiveAt: now },
    `done:${operationId}`,
  );
  delivery.respond(ack);
  receipts += 1;
}
await perform('unregister', { name: consumer, registeredBy: `${consumer}-1` });
await connection.drain();
process.stdin.destroy();
