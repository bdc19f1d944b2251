/** The endpoint of a consumer team that is served over HTTP: where its messages are posted, and which secret signs them. */
import { z } from 'zod';
import { contactSchema, lifecycleLimits, lifecycleTransitionSchema } from './vocabulary';

/** Accepts no credentials, because people see the address, and no fragment, because it is never sent. */
function isPlain(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { username, password, hash } = new URL(text);
  return username === '' && password === '' && hash === '';
}

const endpointUrlSchema = z
  .url({ protocol: /^https?$/, error: 'must be an https address' })
  .max(lifecycleLimits.endpointUrlCharacters)
  .refine(isPlain, 'must have neither credentials nor a fragment')
  .describe(
    'Where messages are posted: https, without credentials. It is shown to people, so no part of it is a secret.',
  );

/** Names a secret of the delivery service; the secret itself is in a file of that service alone. */
const secretRefSchema = z
  .string()
  .regex(/^[a-z][a-z0-9_-]{2,63}$/, 'must be 3 to 64 of a-z, 0-9, _ and -, beginning with a letter')
  .describe('Name of the secret that signs; the secret itself is a file of lifecycle-delivery.');

/** What a platform owner registers for a team. */
export const endpointRegistrationSchema = z.strictObject({
  url: endpointUrlSchema,
  secretRef: secretRefSchema,
  transitions: z
    .array(lifecycleTransitionSchema)
    .min(1)
    .max(3)
    .refine((list) => new Set(list).size === list.length, 'must not repeat a transition'),
  contact: contactSchema.optional().describe('Whom to reach when deliveries wait.'),
  answersTests: z.boolean().optional().describe('Whether the endpoint answers tests; it gets none without this.'),
});
export type EndpointRegistration = z.infer<typeof endpointRegistrationSchema>;

/** The part of the registration that people see. */
export const endpointViewSchema = z.object({
  url: z.string().describe('Where its messages are posted.'),
  secretRef: z.string().describe('Name of the secret that signs.'),
});
