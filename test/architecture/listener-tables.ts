/**
 * The parts of docs/consumer-protocol.md about provisioning listeners, generated from the contract: subjects, schemas,
 * refusals, limits, and examples that must pass the schemas with which the service decodes them.
 */
import {
  extrasLimits,
  listenerLimits,
  listenerAnswerSchema,
  listenerRequests,
  listenerRefusalCodes,
  listenerSubjects,
  provisioningEvents,
  provisioningNoticeSchema,
  registeredListenerSchema,
  registerListenerSchema,
  unregisteredListenerSchema,
  unregisterListenerSchema,
  type ListenerRefusalCode,
  type ProvisioningEvent,
} from '@platform/contracts-provisioning';
import { z } from 'zod';
import { configSchema } from '../../services/provisioning/src/config';
import { table } from './markdown-table';

const name = '<name>';

function json(value: unknown): string {
  return `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;
}

function schemaOf(schema: z.ZodType): string {
  const { $schema: _draft, ...rest } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return json(rest);
}

/** An example that the schema accepts unchanged. */
function example<S extends z.ZodType>(schema: S, value: z.input<S>): string {
  schema.parse(value);
  return json(value);
}

const sections = (...parts: readonly string[]): string => parts.join('\n\n');

const whens: Readonly<Record<ProvisioningEvent, string>> = {
  TENANT_BEING_PROVISIONED: "the tenant's rows exist, nothing is paid and nothing is committed",
  TENANT_DELETED: 'the creation is taken back after a definitive refusal, or the workspace is deleted',
};

const refusals: Readonly<Record<ListenerRefusalCode, string>> = {
  invalid_request: 'the body does not fit the schema; the message says where. Change it',
  foreign_name: 'the `name` in the body is not the one in the subject. Change it',
  store_unavailable: 'passes: ask again, with a growing pause',
  too_many_listeners: 'no further listener can be registered. Talk to the platform team',
};

const created = {
  tenantId: 'tn_0197f3c2',
  attemptId: 'tn_0197f3c2',
  workspaceName: 'Initrode',
  ownerUserId: 'user-1',
  planId: 'pro',
};
const { LISTENER_TIMEOUT_MS } = configSchema.parse({
  MONGODB_URL: 'mongodb://any',
  NATS_URL: 'any',
  STRIPE_SECRET_KEY: 'any',
  PLATFORM_MODE: 'local',
});

export const listenerTables: Readonly<Record<string, string>> = {
  'listener-subjects': table(
    ['Event', 'You serve', 'Asked when'],
    provisioningEvents.map((event) => [`\`${event}\``, `\`${listenerSubjects[event](name)}\``, whens[event]]),
  ),
  'listener-register': sections(
    `Request \`${listenerRequests.register(name)}\`:`,
    schemaOf(registerListenerSchema),
    'for example',
    example(registerListenerSchema, {
      name: 'storage',
      events: [...provisioningEvents],
      order: 10,
      registeredBy: 'storage-7f9c',
    }),
    'answered with',
    example(registeredListenerSchema, { name: 'storage', replaced: false }),
    `Request \`${listenerRequests.unregister(name)}\`:`,
    example(unregisterListenerSchema, { name: 'storage', registeredBy: 'storage-7f9c' }),
    'answered with',
    example(unregisteredListenerSchema, { name: 'storage', removed: true }),
  ),
  'listener-refusals': table(
    ['Code', 'What to do'],
    listenerRefusalCodes.map((code) => [`\`${code}\``, refusals[code]]),
  ),
  'listener-notice': sections(
    schemaOf(provisioningNoticeSchema),
    `for example, on \`${listenerSubjects.TENANT_BEING_PROVISIONED('storage')}\`:`,
    example(provisioningNoticeSchema, {
      event: 'TENANT_BEING_PROVISIONED',
      ...created,
      extras: { storageRegion: 'eu' },
    }),
    `and on \`${listenerSubjects.TENANT_DELETED('storage')}\`:`,
    example(provisioningNoticeSchema, { event: 'TENANT_DELETED', ...created }),
  ),
  'listener-answer': sections(
    example(listenerAnswerSchema, { done: true }),
    'or, to refuse,',
    json({ code: 'storage_region_unknown', message: 'the listener did not succeed' }),
  ),
  'listener-limits': table(
    ['Limit', 'Value'],
    [
      ['Deadline of one call', `${LISTENER_TIMEOUT_MS} ms (\`LISTENER_TIMEOUT_MS\` of provisioning)`],
      ['Registered listeners', `${listenerLimits.listeners}`],
      ['Extras', `${extrasLimits.bytes} bytes as JSON, ${extrasLimits.keys} keys, ${extrasLimits.levels} levels`],
    ],
  ),
};
