/**
 * The public half of an action. Routes, OpenAPI, forms, previews, tables of the documentation, the route matrix, sweeps
 * and simulated requests are derived from it, so no second list can miss an action.
 */
import type { OperatorCode } from '../codes';

/** The platform's staff, or the owner of the workspace. */
export type ActionStarter = 'platform_owner' | 'workspace_owner';

/** One value of an action. `example` is used by OpenAPI, the sweeps and the simulation. */
export type ActionField = { readonly label: string; readonly optional?: true } & (
  | { readonly kind: 'plan'; readonly example: string }
  /** Minor units of the currency of the workspace's plan. */
  | { readonly kind: 'amount'; readonly example: number }
  | { readonly kind: 'text'; readonly maxCharacters: number; readonly example: string }
  /** ISO 8601. */
  | { readonly kind: 'instant'; readonly example: string }
  /** http or https; may contain `{CHECKOUT_SESSION_ID}`. */
  | { readonly kind: 'address'; readonly example: string }
  /** The id of the workspace itself, which the caller gives a second time as a confirmation. */
  | { readonly kind: 'confirmation'; readonly example: string }
);

/** Limits that a platform sets by configuration. */
export interface FirstRequestLimits {
  /** Largest single credit, in minor units. */
  readonly creditCents: number;
}

/** A rule for first requests only; a repeat is answered from the record. */
export type FirstRequestRule<Value = string> =
  | { readonly value: Value; readonly mustBe: 'in_the_future'; readonly code: 'invalid_request' }
  /** Within the person's remaining limit of the day; checked last, in a fenced write. */
  | { readonly value: Value; readonly mustBe: 'within_the_day'; readonly code: OperatorCode }
  /** Must equal the id of the workspace in the address. */
  | { readonly value: Value; readonly mustBe: 'the_workspace'; readonly code: 'invalid_request' }
  | {
      readonly value: Value;
      readonly mustBe: 'at_most';
      readonly limit: keyof FirstRequestLimits;
      readonly code: OperatorCode;
    };

/** The values for the sentences of a preview, as text. */
export interface ActionFacts {
  readonly workspace: string;
  /** `plan` is the workspace's plan with its price of one unit; `price` is that of all its units. */
  readonly plan: string;
  readonly price: string;
  /** Whether a subscription of the workspace runs at the payment provider. */
  readonly subscribed: boolean;
  /** The given values in words, by name; a plan includes its price. */
  readonly values: Readonly<Record<string, string>>;
}

/** The situation of the workspace in which the example of the action succeeds. */
export type ExampleSituation =
  | 'subscribed'
  | 'suspended'
  | 'change_pending'
  | 'change_landed'
  | 'unsubscribed'
  | 'checkout_open'
  | 'payment_waits'
  | 'granted'
  | 'ended_at_provider'
  | 'ending';

export interface ActionContract {
  readonly method: 'POST' | 'PUT' | 'DELETE';
  /** Below `/api/saas/workspaces/{tenantId}/`; empty for an action on the workspace itself. */
  readonly segment: string;
  /** Below the same address, for the preview of an action without a segment. */
  readonly previewSegment?: string;
  readonly summary: string;
  readonly description: string;
  /** Who starts the action, and so who may read its operations. */
  readonly startedBy: ActionStarter;
  /** Other roles of the staff that may start it, besides the platform owner. */
  readonly alsoFor?: 'support' | 'finance' | 'support_or_finance';
  /**
   * The subscription transition that it admits, its own or a shared one; null: it needs none, and no other transition
   * blocks it.
   */
  readonly transition: string | null;
  /** Whether the effect charges or credits by itself; false when it only changes when and what is collected later. */
  readonly movesMoney: boolean;
  /**
   * Whether it is allowed while access to the workspace is closed: always for the platform; for the owner, only the
   * actions that reopen it.
   */
  readonly whileClosed: 'allowed' | 'refused';
  readonly values: Readonly<Record<string, ActionField>>;
  /** Empty when a first request is judged like a repeat. */
  readonly firstRequest: readonly FirstRequestRule[];
  /** The action's own refusals before any effect, in the order in which they are judged. */
  readonly refusals: readonly OperatorCode[];
  /** Later refusals, which depend on other records. */
  readonly laterRefusals: readonly OperatorCode[];
  /** What a successful request returns. */
  readonly answers: 'operation' | 'checkout';
  readonly form: {
    readonly title: string;
    /** `typed`: the person types the workspace's id before the request is sent. */
    readonly confirm: 'typed' | 'click';
  };
  /** The consequences of the action, in sentences for people. */
  readonly consequences: (facts: ActionFacts) => readonly string[];
  readonly example: { readonly operationId: string; readonly in: ExampleSituation };
}

/** The policy of its routes, which decides who may start it. */
export function starterPolicy({ startedBy, alsoFor }: Pick<ActionContract, 'startedBy' | 'alsoFor'>) {
  return startedBy === 'workspace_owner' ? startedBy : (alsoFor ?? startedBy);
}

/** Whether staff with this role may start it. The gateway itself decides by the policy of the route. */
export function mayStart(role: string, contract: Pick<ActionContract, 'startedBy' | 'alsoFor'>): boolean {
  if (contract.startedBy !== 'platform_owner') return false;
  return role === 'platform_owner' || (contract.alsoFor?.split('_or_').includes(role) ?? false);
}

/** Keeps the literal types of a definition; a first-request rule names one of its values. */
export function defineAction<const Definition extends ActionContract>(
  definition: Definition & {
    readonly firstRequest: readonly FirstRequestRule<keyof Definition['values'] & string>[];
  },
): Definition {
  return definition;
}
