/** Pages of the API that the contracts name by their schema only. */
import type { OperationView, PlanView } from '@platform/contracts-operator';
import type { ConsumerView, DeliveryView } from '@platform/contracts-lifecycle-delivery';

export type { AdminState } from '@platform/contracts-operator';
export interface OperationPage {
  readonly operations: readonly OperationView[];
  readonly nextCursor?: string;
}
export interface PlansPage {
  readonly plans: readonly PlanView[];
}
export interface DeliveriesPage {
  readonly deliveries: readonly DeliveryView[];
  readonly nextCursor?: string;
}
export interface ConsumersPage {
  readonly consumers: readonly ConsumerView[];
}
