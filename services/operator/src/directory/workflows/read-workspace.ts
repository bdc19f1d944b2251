/**
 * One workspace with the data of every service. Each part that comes from another service or the payment provider says
 * whether that source answered, so a page never shows a missing answer as a missing record.
 */
import {
  lifecycleOfOperationSchema,
  lifecycleRequests,
  type DeliveryView,
} from '@platform/contracts-lifecycle-delivery';
import type { WorkspaceDetail } from '@platform/contracts-operator';
import {
  attemptAnswerSchema,
  attemptRequests,
  creationOperationId,
  type AttemptView,
} from '@platform/contracts-provisioning';
import type { Clock } from '@platform/kernel';
import type { Messaging } from '@platform/messaging';
import type { RevisionedCollection } from '@platform/mongo';
import type { PaymentProvider } from '@platform/payment-provider';
import type { z } from 'zod';
import type { Plan } from '../../catalogue/domain/plan';
import type { Subscription } from '../../mirror/domain/subscription';
import type { Operation } from '../../operations/domain/operation';
import type { DashboardMode } from '../domain/dashboard';
import { judgeActions, type JudgedAction } from '../domain/judged-actions';

export interface WorkspacePorts {
  readonly subscriptions: Pick<RevisionedCollection<Subscription>, 'findById'>;
  readonly operations: Pick<RevisionedCollection<Operation>, 'find'>;
  readonly plans: Pick<RevisionedCollection<Plan>, 'find' | 'findById'>;
  readonly messaging: Pick<Messaging, 'request'>;
  readonly provider: Pick<PaymentProvider, 'retrieveInvoice'>;
  readonly clock: Clock;
  readonly dashboard: DashboardMode;
}

/** What an owner of a part answered. */
export type Answered<T> =
  | { readonly state: 'known'; readonly value: T }
  | { readonly state: 'none' }
  | { readonly state: 'unavailable'; readonly problem: string };

export interface ReadWorkspace {
  readonly subscription: Subscription;
  readonly operations: readonly Operation[];
  readonly actions: readonly JudgedAction[];
  readonly creation: Answered<AttemptView>;
  readonly deliveries: Answered<readonly DeliveryView[]>;
  readonly invoice: Answered<Extract<WorkspaceDetail['invoice'], { state: 'known' }>['value']>;
  readonly asOf: Date;
}

const latestOperations = 10;
/** The most plans of the catalogue that are judged for actions that depend on a plan. */
const judgedPlans = 200;
const waitMs = 2_000;

/** Null when there is no such workspace. Throws StoreUnavailableError. */
export async function readWorkspace(ports: WorkspacePorts, tenantId: string): Promise<ReadWorkspace | null> {
  const asOf = ports.clock.now();
  const subscription = await ports.subscriptions.findById(tenantId);
  if (!subscription) return null;
  const latest = { sort: { createdAt: -1, _id: -1 }, limit: latestOperations } as const;
  const operations = await ports.operations.find({ tenantId }, latest);
  const [plans, creation, deliveries] = await Promise.all([
    ports.plans.find({}, { limit: judgedPlans }),
    creationOf(ports, tenantId),
    deliveriesOf(ports, tenantId, operations),
  ]);
  const invoice = await invoiceOf(ports, subscription, creation);
  const actions = judgeActions(subscription, plans);
  return { subscription, operations, actions, creation, deliveries, invoice, asOf };
}

async function ask<T>(
  { messaging }: Pick<WorkspacePorts, 'messaging'>,
  subject: string,
  body: Readonly<Record<string, unknown>>,
  schema: z.ZodType<T>,
): Promise<Exclude<Answered<T>, { state: 'none' }>> {
  const answer = await messaging.request(subject, body, waitMs);
  if (!answer.ok) return { state: 'unavailable', problem: `no answer to ${subject} (${answer.error.code})` };
  const read = schema.safeParse(answer.value);
  return read.success
    ? { state: 'known', value: read.data }
    : { state: 'unavailable', problem: `the answer to ${subject} is not readable by this build` };
}

async function creationOf(ports: WorkspacePorts, tenantId: string): Promise<Answered<AttemptView>> {
  const answer = await ask(ports, attemptRequests.read, { tenantId }, attemptAnswerSchema);
  if (answer.state === 'unavailable') return answer;
  return answer.value.attempt ? { state: 'known', value: answer.value.attempt } : { state: 'none' };
}

/** The deliveries of operations that announced a lifecycle change or a deletion, and those of the creation. */
async function deliveriesOf(
  ports: WorkspacePorts,
  tenantId: string,
  operations: readonly Operation[],
): Promise<Answered<readonly DeliveryView[]>> {
  const announced = operations.filter(({ lifecycle, deletion }) => lifecycle ?? deletion).map(({ _id }) => _id);
  const answers = await Promise.all(
    [...announced, creationOperationId(tenantId)].map((operationId) =>
      ask(ports, lifecycleRequests.operation, { operationId }, lifecycleOfOperationSchema),
    ),
  );
  const silent = answers.find((answer) => answer.state === 'unavailable');
  if (silent) return silent;
  const deliveries = answers.flatMap((answer) => (answer.state === 'known' ? answer.value.deliveries : []));
  return deliveries.length > 0 ? { state: 'known', value: deliveries } : { state: 'none' };
}

async function invoiceOf(
  { provider, plans }: WorkspacePorts,
  { planId }: Subscription,
  creation: Answered<AttemptView>,
): Promise<ReadWorkspace['invoice']> {
  if (creation.state !== 'known') return creation;
  const { invoiceId } = creation.value.handles;
  if (invoiceId === undefined) return { state: 'none' };
  const read = await provider.retrieveInvoice(invoiceId);
  if (read.outcome === 'unknown') return { state: 'unavailable', problem: read.reason };
  if (read.outcome === 'failed')
    return read.code === 'not_found' ? { state: 'none' } : { state: 'unavailable', problem: read.message };
  const { id, status, total } = read.value;
  const plan = await plans.findById(planId);
  return { state: 'known', value: { invoiceId: id, status, total, ...(plan && { currency: plan.currency }) } };
}
