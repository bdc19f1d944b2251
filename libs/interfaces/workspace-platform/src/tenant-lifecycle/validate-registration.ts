/**
 * Checks a registration when it is made, so that a misspelt name fails in the module that wrote it and not on the
 * platform.
 */
import { consumerNameSchema, contactSchema, lifecycleTransitionSchema } from '@platform/contracts-lifecycle-delivery';
import { z } from 'zod';
import { TenantLifecycleError, type TenantLifecycleConsumer } from './types';

const registrationSchema = z.strictObject({
  name: consumerNameSchema,
  transitions: z
    .array(lifecycleTransitionSchema)
    .min(1)
    .refine((list) => new Set(list).size === list.length, 'must not repeat a transition'),
  consume: z.custom((value) => typeof value === 'function', 'must be a function'),
  answerTest: z.custom((value) => value === undefined || typeof value === 'function', 'must be a function').optional(),
  version: z.int().min(0).optional(),
  contact: contactSchema.optional(),
  concurrency: z.int().min(1).max(64).optional(),
  owner: z.custom((value) => value === undefined || value instanceof AbortSignal, 'must be an AbortSignal').optional(),
});

/** A frozen copy of the registration. Throws TenantLifecycleError `invalid_registration` that names every error. */
export function validateRegistration(registration: TenantLifecycleConsumer): TenantLifecycleConsumer {
  const fields =
    typeof registration === 'object' && registration !== null
      ? { ...registration, consume: registration.consume, answerTest: registration.answerTest }
      : registration;
  const checked = registrationSchema.safeParse(fields);
  if (!checked.success) {
    const mistakes = checked.error.issues.map((issue) => `${issue.path.join('.') || 'registration'}: ${issue.message}`);
    throw new TenantLifecycleError(
      'invalid_registration',
      `a tenant lifecycle consumer cannot be registered: ${mistakes.join('; ')}`,
    );
  }
  const { name, transitions, version, contact, concurrency, owner } = registration;
  const consume = registration.consume.bind(registration);
  return Object.freeze({
    name,
    transitions: Object.freeze([...transitions]),
    consume,
    ...(registration.answerTest && { answerTest: registration.answerTest.bind(registration) }),
    ...(version !== undefined && { version }),
    ...(contact !== undefined && { contact }),
    ...(concurrency !== undefined && { concurrency }),
    ...(owner && { owner }),
  });
}
