/** What the parts of the gateway's composition share. */
import type { StartedService } from '@platform/durable/boot';
import type { PaymentProvider } from '@platform/payment-provider';
import type { Config } from './config';
import type { RateGovernor } from './migrations/workflows/rate-governor';
import type { OperatorPorts } from './operations/workflows/ports';
import type { ReadPorts } from './operations/workflows/read-operation';

export interface Gateway {
  readonly service: StartedService<Config>;
  readonly ports: OperatorPorts;
  readonly reads: ReadPorts;
  /** For reads of people and of rounds; operations have another one in their ports. */
  readonly provider: PaymentProvider;
  readonly governor: RateGovernor;
}
