/**
 * The protocol of consumer services as an AsyncAPI 3.0 document, generated from the schemas with which the code
 * decodes. It takes the view of a consumer service: what it receives, sends and requests. `docs/asyncapi.json` is its
 * text.
 */
import { z } from 'zod';
import {
  consumerTestSchema,
  deliveryFailedSchema,
  lifecycleMessageSchema,
  lifecycleRequests,
  lifecycleStreams,
  lifecycleSubjects,
  lifecycleTransitions,
  lifecycleTypes,
  receiptMessageSchema,
  registerConsumerSchema,
  registeredConsumerSchema,
  testFailedSchema,
  testReceiptSchema,
  unregisterConsumerSchema,
  unregisteredConsumerSchema,
} from '@platform/contracts-lifecycle-delivery';
import {
  inventoryPageSchema,
  inventoryRequestSchema,
  inventorySubject,
  workspaceAccessBucket,
  workspaceAccessRequestSchema,
  workspaceAccessSchema,
  workspaceAccessSubject,
} from '@platform/contracts-operator';
import {
  gateAnswerSchema,
  gateRequestSchema,
  gateSubject,
  listenerAnswerSchema,
  provisioningNoticeSchema,
  registeredListenerSchema,
  registerListenerSchema,
  unregisteredListenerSchema,
  unregisterListenerSchema,
} from '@platform/contracts-provisioning';
import {
  acknowledgementSchema,
  headers,
  listenerChannels,
  listenerOperations,
  pullChannel,
  pullSchema,
  security,
  servers,
  storedSchema,
  testChannel,
} from './asyncapi-parts';
import {
  endpointChannel,
  endpointOperations,
  endpointSecurity,
  endpointServers,
  onServers,
  postedHeaders,
  postedSchemas,
  postedSummaries,
} from './asyncapi-http';

type Json = { readonly [key: string]: unknown };

/** JSON Schema (draft 2020-12) of what may be sent. */
export function jsonSchemaOf(schema: z.ZodType): Json {
  const { $schema: _draft, ...rest } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return rest;
}

/** The messages of the protocol, by the names that documents use. */
export const protocolSchemas = {
  delivery: lifecycleMessageSchema,
  receipt: receiptMessageSchema,
  failure: deliveryFailedSchema,
  test: consumerTestSchema,
  testReceipt: testReceiptSchema,
  testFailure: testFailedSchema,
  register: registerConsumerSchema,
  registered: registeredConsumerSchema,
  unregister: unregisterConsumerSchema,
  unregistered: unregisteredConsumerSchema,
  askCommitted: gateRequestSchema,
  committed: gateAnswerSchema,
  askAccess: workspaceAccessRequestSchema,
  access: workspaceAccessSchema,
  askInventory: inventoryRequestSchema,
  inventory: inventoryPageSchema,
  pull: pullSchema,
  acknowledgement: acknowledgementSchema,
  ...postedSchemas,
  stored: storedSchema,
  registerListener: registerListenerSchema,
  listenerRegistered: registeredListenerSchema,
  unregisterListener: unregisterListenerSchema,
  listenerUnregistered: unregisteredListenerSchema,
  notice: provisioningNoticeSchema,
  done: listenerAnswerSchema,
} as const;

type ProtocolMessage = keyof typeof protocolSchemas;

const summaries: Readonly<Record<ProtocolMessage, string>> = {
  delivery: 'A transition of a workspace, for one consumer',
  receipt: 'The consumer’s durable evidence that its effect is durable',
  failure: 'A run of the consumer failed; the delivery comes again',
  test: 'A person asks whether messages arrive and are answered; it concerns no workspace',
  testReceipt: 'The consumer’s answer to a test',
  testFailure: 'The test failed; it does not come again',
  register: 'Makes the consumer required from now on',
  registered: 'The durable to read from',
  unregister: 'Makes the consumer optional from now on',
  unregistered: 'Whether the registration was removed',
  askCommitted: 'Which workspace',
  committed: 'Whether its creation is committed; no answer means no',
  askAccess: 'Which workspace',
  access: 'Whether the product may be used in it; no answer means no',
  askInventory: 'Where to go on, and how many tenants',
  inventory: 'One page of the tenants that are neither cancelled nor deleted, with the commit gate’s answer',
  pull: 'Asks for the next deliveries of the durable',
  ...postedSummaries,
  acknowledgement: 'Sent to the reply subject of a delivery, as text and not as JSON',
  stored: 'The stream has the receipt: only now may the delivery be acknowledged',
  registerListener: 'Asks to be called while workspaces are created or deleted',
  listenerRegistered: 'The listener is called from now on',
  unregisterListener: 'Ends that',
  listenerUnregistered: 'Whether the registration was removed',
  notice: 'A workspace is being created, is taken back, or is deleted',
  done: 'The only answer that counts as success; refuse with the headers Nats-Service-Error-Code and Nats-Service-Error',
};

const types: Partial<Readonly<Record<ProtocolMessage, string>>> = {
  delivery: lifecycleTypes.delivery,
  receipt: lifecycleTypes.receipt,
  failure: lifecycleTypes.deliveryFailed,
  test: lifecycleTypes.test,
  testReceipt: lifecycleTypes.testReceipt,
  testFailure: lifecycleTypes.testFailed,
};

function message(name: ProtocolMessage): Json {
  const type = types[name];
  const posted = postedHeaders(name);
  const typed =
    type === undefined
      ? posted && { headers: posted }
      : { headers: { ...headers, properties: { ...headers.properties, 'ce-type': { const: type } } } };
  return {
    name,
    summary: summaries[name],
    contentType: 'application/json',
    ...typed,
    payload: jsonSchemaOf(protocolSchemas[name]),
  };
}

const toMessage = (name: ProtocolMessage): Json => ({ $ref: `#/components/messages/${name}` });
const toChannel = (name: string): Json => ({ $ref: `#/channels/${name}` });
const inChannel = (channel: string, name: ProtocolMessage): Json => ({
  $ref: `#/channels/${channel}/messages/${name}`,
});

const consumer = { description: 'Name of the consumer: 3 to 64 of a-z, 0-9, _ and -, beginning with a letter' };
const transition = { description: 'What happened', enum: lifecycleTransitions };

function request(channel: string, requestMessage: ProtocolMessage, answered: ProtocolMessage): Json {
  return {
    action: 'send',
    channel: toChannel(channel),
    messages: [inChannel(channel, requestMessage)],
    reply: { channel: toChannel(channel), messages: [inChannel(channel, answered)] },
  };
}

const overBroker = {
  deliveries: {
    address: lifecycleSubjects.delivery('{transition}' as never, '{consumer}'),
    description: `Stream ${lifecycleStreams.deliveries}, kept until acknowledged; they come as replies to nextDelivery, each with a reply subject for its acknowledgement`,
    parameters: { transition, consumer },
    messages: { delivery: toMessage('delivery'), acknowledgement: toMessage('acknowledgement') },
  },
  receipts: {
    address: lifecycleSubjects.receipt('{consumer}'),
    description: `Stream ${lifecycleStreams.receipts}`,
    parameters: { consumer },
    messages: {
      receipt: toMessage('receipt'),
      failure: toMessage('failure'),
      testReceipt: toMessage('testReceipt'),
      testFailure: toMessage('testFailure'),
      stored: toMessage('stored'),
    },
  },
  tests: testChannel(consumer, toMessage),
  registration: {
    address: lifecycleRequests.register('{consumer}'),
    parameters: { consumer },
    messages: { register: toMessage('register'), registered: toMessage('registered') },
  },
  removal: {
    address: lifecycleRequests.unregister('{consumer}'),
    parameters: { consumer },
    messages: { unregister: toMessage('unregister'), unregistered: toMessage('unregistered') },
  },
  gate: {
    address: gateSubject,
    messages: { askCommitted: toMessage('askCommitted'), committed: toMessage('committed') },
  },
  access: {
    address: workspaceAccessSubject,
    description: 'Read from the record at the moment of the question; an answer is good for less than a second',
    messages: { askAccess: toMessage('askAccess'), access: toMessage('access') },
  },
  inventory: {
    address: inventorySubject,
    description:
      'Pages in the order of the ids; a tenant that exists all the time is in exactly one. Without `nextCursor` it is the last',
    messages: { askInventory: toMessage('askInventory'), inventory: toMessage('inventory') },
  },
  nextDelivery: {
    ...pullChannel,
    parameters: { consumer },
    messages: { pull: toMessage('pull'), delivery: toMessage('delivery') },
  },
  ...listenerChannels(consumer, toMessage),
  publishedAccess: {
    address: `$KV.${workspaceAccessBucket}.{tenantId}`,
    description: `Key-value bucket ${workspaceAccessBucket}: the last value of each workspace, for lists and displays. It does not tell its age, so nothing is let through by it`,
    parameters: { tenantId: { description: 'The key' } },
    messages: { access: toMessage('access') },
  },
};

const channels = onServers(overBroker, endpointChannel(toMessage));

/** The whole document; equal contracts give equal documents. */
export function lifecycleAsyncApi(): Json {
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Tenant lifecycle delivery',
      version: '1.0.0',
      description: 'What a consumer service receives, sends and asks. Rules: docs/consumer-protocol.md.',
    },
    defaultContentType: 'application/json',
    servers: { ...servers, ...endpointServers },
    channels,
    operations: {
      receiveDelivery: {
        action: 'receive',
        channel: toChannel('deliveries'),
        messages: [inChannel('deliveries', 'delivery')],
      },
      pullDelivery: {
        ...request('nextDelivery', 'pull', 'delivery'),
        description:
          'On an inbox of its own: the delivery arrives under its own subject. Status 404 or 408 in the headers means that there is none.',
      },
      acknowledge: {
        action: 'send',
        channel: toChannel('deliveries'),
        description: 'To the address in the reply subject of the delivery.',
        messages: [inChannel('deliveries', 'acknowledgement')],
      },
      sendReceipt: request('receipts', 'receipt', 'stored'),
      reportFailure: request('receipts', 'failure', 'stored'),
      receiveTest: { action: 'receive', channel: toChannel('tests'), messages: [inChannel('tests', 'test')] },
      sendTestReceipt: request('receipts', 'testReceipt', 'stored'),
      reportTestFailure: request('receipts', 'testFailure', 'stored'),
      ...endpointOperations(toChannel, inChannel),
      registerListener: request('listenerRegistration', 'registerListener', 'listenerRegistered'),
      unregisterListener: request('listenerRemoval', 'unregisterListener', 'listenerUnregistered'),
      ...listenerOperations(toChannel, inChannel),
      register: request('registration', 'register', 'registered'),
      unregister: request('removal', 'unregister', 'unregistered'),
      askCommitted: request('gate', 'askCommitted', 'committed'),
      askAccess: request('access', 'askAccess', 'access'),
      listTenants: request('inventory', 'askInventory', 'inventory'),
      readAccess: {
        action: 'receive',
        channel: toChannel('publishedAccess'),
        messages: [inChannel('publishedAccess', 'access')],
      },
    },
    components: {
      securitySchemes: { ...security, ...endpointSecurity },
      messages: Object.fromEntries(
        (Object.keys(protocolSchemas) as ProtocolMessage[]).map((name) => [name, message(name)]),
      ),
    },
  };
}
