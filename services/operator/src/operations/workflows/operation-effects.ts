/** Operations as the shared executor of effects sees them: how they record their calls, and how they stop. */
import type { EffectPorts, Hold } from '@platform/durable/effects';
import type { Checked } from '@platform/durable/steps';
import { answerCall, recordCall, stop } from '../domain/journal';
import { operationSteps, type Operation, type RunningOperation } from '../domain/operation';
import type { OperatorPorts } from './ports';

export type OperationHold = Hold<Operation, RunningOperation>;

/** The executor's hold on the record after its write was acknowledged. */
export function holdOf(operation: RunningOperation): OperationHold {
  return { stored: operation, working: operation };
}

/** Operations in the form that the shared effect runner uses: the calls are those of the latest attempt. */
export function effectsOf(ports: OperatorPorts): EffectPorts<Operation, RunningOperation, Checked<Operation>> {
  return {
    records: ports.operations,
    retryPolicy: ports.retryPolicy,
    clock: ports.clock,
    log: ports.log,
    service: ports.executor.service,
    publishNow: ports.publishNow,
    answered: (step, outcome) => ports.meter.providerAnswered(step, outcome),
    journal: {
      kind: 'operation',
      withCall: recordCall,
      withAnswer: answerCall,
      draft: (operation) => operationSteps.keep(operation, {}),
      stopped: stop,
      tenantOf: ({ tenantId }) => tenantId,
      alertTurn: ({ attempts }) => String(attempts.length),
    },
  };
}
