/**
 * The part of the provider's object that is stored: ids and states that handlers and investigators need. Names,
 * addresses, amounts and card data never enter the database or a message.
 */
import type { ProviderObject } from '@platform/contracts-provisioning';

type Fields = Readonly<Record<string, unknown>>;

const longest = 200;

function fields(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

function word(value: unknown): string | undefined {
  return typeof value === 'string' && value.length <= longest && /^[\w.:-]+$/.test(value) ? value : undefined;
}

/** A reference as the provider writes it: an id, or the expanded object. */
function reference(value: unknown): string | undefined {
  return word(value) ?? word(fields(value)['id']);
}

function present<T extends object>(candidates: T): T {
  return Object.fromEntries(Object.entries(candidates).filter(([, value]) => value !== undefined)) as T;
}

/** The subset that is safe to store. Members that are missing or have another type are left out. */
export function redactObject(object: Fields): ProviderObject {
  const details = fields(fields(object['parent'])['subscription_details']);
  const metadata = { ...fields(details['metadata']), ...fields(object['metadata']) };
  const kept = present({
    tenantId: word(metadata['tenantId']),
    operationId: word(metadata['operationId']),
    provisioningAttempt: word(metadata['provisioningAttempt']),
  });
  return present({
    id: word(object['id']),
    object: word(object['object'])?.slice(0, 100),
    status: word(object['status'])?.slice(0, 100),
    customer: reference(object['customer']),
    subscription: reference(object['subscription']) ?? reference(details['subscription']),
    invoice: reference(object['invoice']),
    billing_reason: word(object['billing_reason'])?.slice(0, 100),
    metadata: Object.keys(kept).length > 0 ? kept : undefined,
  });
}
