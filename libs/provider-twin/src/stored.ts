/**
 * The type in which a provider object is stored: the SDK's own type with every expandable reference as its id and every
 * decimal as the string on the wire. Deriving it keeps the twin's objects complete: a field that the pinned SDK adds as
 * required becomes a compile error here.
 */
import type Stripe from 'stripe';

type Decimal = NonNullable<Stripe.Price['unit_amount_decimal']>;

type Scalar = string | number | boolean | null | undefined | void;

/** A field's stored type: `string | Customer | null` becomes `string | null`. */
type Reference<F> = [Extract<F, string>] extends [never] ? Stored<F> : Stored<Exclude<F, { object: string }>>;

/** A provider object as stored, which is also its sent form without expansion. */
export type Stored<V> = V extends Decimal
  ? string
  : V extends Scalar
    ? V
    : V extends (infer E)[]
      ? Reference<E>[]
      : V extends object
        ? { [K in keyof V]: Reference<V[K]> }
        : V;

/** The provider's list envelope around pages and embedded collections. */
export interface ListEnvelope<T> {
  object: 'list';
  data: T[];
  has_more: boolean;
  url: string;
}
