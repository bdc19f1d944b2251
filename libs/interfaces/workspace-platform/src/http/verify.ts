/**
 * Checks that a POST is a delivery of the platform: a signature by the Standard Webhooks specification, made within five
 * minutes, over exactly these bytes. What it says is read after that, and from what is signed alone.
 */
import {
  consumerTestSchema,
  lifecycleMessageSchema,
  type ConsumerTest,
  type LifecycleMessage,
} from '@platform/contracts-lifecycle-delivery';
import { Webhook } from 'standardwebhooks';

/** The POST is no delivery of the platform, or not one for this team. Answer 401, and do nothing. */
export class DeliveryNotVerified extends Error {
  override name = 'DeliveryNotVerified';
}

export interface SignedPost {
  /** The request headers, with names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The raw body, before any parser changes it. */
  readonly body: string;
}

export type VerifiedDelivery =
  | { readonly kind: 'transition'; readonly message: Readonly<LifecycleMessage> }
  | { readonly kind: 'test'; readonly test: Readonly<ConsumerTest> };

/**
 * What was delivered. `secrets`: the one that the platform signs with, and during a rotation the next one too. Throws
 * {@link DeliveryNotVerified}.
 */
export function verifyDelivery(post: SignedPost, secrets: readonly string[]): VerifiedDelivery {
  if (!secrets.some((secret) => isSigned(post, secret)))
    throw new DeliveryNotVerified('no signature of this delivery is valid now');
  const body = parsed(post.body);
  const message = lifecycleMessageSchema.safeParse(body);
  if (message.success) return { kind: 'transition', message: Object.freeze(message.data) };
  const test = consumerTestSchema.safeParse(body);
  if (test.success) return { kind: 'test', test: Object.freeze(test.data) };
  throw new DeliveryNotVerified('the body is not a delivery that this version can read');
}

function isSigned({ headers, body }: SignedPost, secret: string): boolean {
  const single = (name: string): string => String(headers[name] ?? '');
  const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
  try {
    new Webhook(secret).verify(body, Object.fromEntries(names.map((name) => [name, single(name)])), {
      jsonParse: false,
    });
    return true;
  } catch {
    return false;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
