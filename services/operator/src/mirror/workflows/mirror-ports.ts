/** The ports of the workflows that keep the mirror equal to the provider. */
import type { Clock } from '@platform/kernel';
import type { RevisionedCollection } from '@platform/mongo';
import type { PaymentProvider } from '@platform/payment-provider';
import type { Plan } from '../../catalogue/domain/plan';
import type { MirrorRefresh } from '../domain/mirror-refresh';
import type { Subscription } from '../domain/subscription';

export interface MirrorPorts {
  readonly subscriptions: RevisionedCollection<Subscription>;
  readonly plans: RevisionedCollection<Plan>;
  readonly provider: PaymentProvider;
  readonly clock: Clock;
  /** Workspaces whose mirror is to be read again. */
  readonly refreshes: RevisionedCollection<MirrorRefresh>;
}
