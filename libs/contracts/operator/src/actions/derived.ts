/** Derived from the table of actions: names, addresses, refusals in their order, examples. */
import type { OperatorCode } from '../codes';
import type { ActionContract, ActionStarter } from './action';
import { actions } from './table';

export type OperationAction = keyof typeof actions;

/** In the order of the table. */
export const operationActions = Object.keys(actions) as [OperationAction, ...OperationAction[]];

/** The kinds of subscription transitions that actions admit. */
export type TransitionKind = NonNullable<(typeof actions)[OperationAction]['transition']>;
export const transitionKinds = [...new Set(operationActions.flatMap((action) => actions[action].transition ?? []))] as [
  TransitionKind,
  ...TransitionKind[],
];

/** The actions that one kind of caller starts. */
export type ActionStartedBy<Starter extends ActionStarter> = {
  [Action in OperationAction]: (typeof actions)[Action]['startedBy'] extends Starter ? Action : never;
}[OperationAction];

/** The codes of an action's own preconditions. */
export type OwnRefusal<Action extends OperationAction> = (typeof actions)[Action]['refusals'][number];

/** The public half of an action in the table, without its literal types. */
export interface KnownContract extends ActionContract {
  readonly transition: TransitionKind | null;
}

export function contractOf(action: OperationAction): KnownContract {
  return actions[action];
}

export function actionsStartedBy<Starter extends ActionStarter>(starter: Starter): ActionStartedBy<Starter>[] {
  return operationActions.filter(
    (action): action is ActionStartedBy<Starter> => contractOf(action).startedBy === starter,
  );
}

const workspace = '/api/saas/workspaces/:tenantId';

/** With `:tenantId` for the workspace. */
export function actionPath(action: OperationAction): string {
  return below(contractOf(action).segment);
}

function below(segment: string): string {
  return segment === '' ? workspace : `${workspace}/${segment}`;
}

/** Always requested with POST, even when the action itself is a PUT or a DELETE. */
export function previewPath(action: OperationAction): string {
  const { segment, previewSegment = segment } = contractOf(action);
  return `${below(previewSegment)}/preview`;
}

/** Refusals that every action judges before its own, on the record with the id or on the workspace. */
const beforeOwn = [
  'operation_id_reused',
  'reconciliation_required',
  'operation_running',
  'resolved_not_applied',
  'retry_window_expired',
  'preview_outdated',
  'deletion_started',
] as const satisfies readonly OperatorCode[];
const heldByAnother = ['checkout_in_progress', 'transition_pending'] as const satisfies readonly OperatorCode[];
const afterOwn = ['provider_refused', 'provider_unavailable', 'outcome_unknown', 'store_unavailable'];

/** Codes of the workspace and of the action itself, in the order in which they are judged. */
export function refusalsOf(action: OperationAction): readonly OperatorCode[] {
  const { transition, refusals, firstRequest, whileClosed } = contractOf(action);
  return [
    ...firstRequest.flatMap(({ code }) => (code === 'invalid_request' ? [] : [code])),
    ...(transition === 'deletion' ? [] : (['deletion_started'] as const)),
    ...(whileClosed === 'refused' ? (['workspace_closed'] as const) : []),
    ...(transition ? heldByAnother : []),
    ...refusals,
  ];
}

/** Every code with which a request for the action can be refused, besides those that every route has. */
export function errorsOf(action: OperationAction): readonly string[] {
  const { transition, laterRefusals } = contractOf(action);
  const before = beforeOwn.filter((code) => code !== 'deletion_started' || transition !== 'deletion');
  return [...new Set<string>([...before, ...refusalsOf(action), ...laterRefusals, ...afterOwn])];
}

/** The example's values, with the optional ones for suites that play everything that an action can do. */
export function exampleValues(
  action: OperationAction,
  { optional = false }: { readonly optional?: boolean } = {},
): Readonly<Record<string, string | number>> {
  return Object.fromEntries(
    Object.entries(contractOf(action).values)
      .filter(([, field]) => optional || !field.optional)
      .map(([name, { example }]) => [name, example]),
  );
}
