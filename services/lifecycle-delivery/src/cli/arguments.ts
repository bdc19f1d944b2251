/** Decodes the arguments of the commands about deliveries, as strictly as a request body. Throws `Misuse`. */
import { Misuse, type CommandRun } from '@platform/command-line';
import {
  consumerNameSchema,
  deliveryStatusSchema,
  lifecycleOperationIdSchema,
  type DeliveryStatus,
} from '@platform/contracts-lifecycle-delivery';
import { proofsOf, type Unsigned } from '@platform/durable/investigation';
import { deliveryIdOf } from '../domain/delivery';
import type { WaiverProofs } from '../workflows/waive-delivery';
import type command from './ops.command.cjs';

export type OpsCommand =
  | {
      readonly kind: 'list';
      readonly statuses: readonly DeliveryStatus[];
      readonly consumer?: string;
      readonly json: boolean;
    }
  | { readonly kind: 'consumers'; readonly json: boolean }
  | { readonly kind: 'show'; readonly operationId: string; readonly consumer: string }
  | {
      readonly kind: 'waive';
      readonly consumer: string;
      readonly request: Unsigned<WaiverProofs>;
      readonly yes: boolean;
    }
  | {
      readonly kind: 'waive_consumer';
      readonly consumer: string;
      readonly proofs: Omit<Unsigned<WaiverProofs>, 'id'>;
      readonly yes: boolean;
    };

export function opsCommandOf({ command: name, words, values }: CommandRun<typeof command>): OpsCommand {
  const [first = '', second = ''] = words;
  switch (name) {
    case 'list deliveries':
      return {
        kind: 'list',
        statuses: values.status === undefined ? ['pending', 'failed'] : [statusOf(values.status)],
        ...(values.consumer !== undefined && { consumer: consumerOf(values.consumer) }),
        json: values.json,
      };
    case 'show delivery':
      return { kind: 'show', operationId: operationIdOf(first), consumer: consumerOf(second) };
    case 'waive delivery': {
      const id = deliveryIdOf(operationIdOf(first), consumerOf(second));
      return { kind: 'waive', consumer: second, request: { ...waiverOf(values), id }, yes: values.yes };
    }
    case 'waive consumer':
      return { kind: 'waive_consumer', consumer: consumerOf(first), proofs: waiverOf(values), yes: values.yes };
    default:
      return { kind: 'consumers', json: values.json };
  }
}

function waiverOf(values: CommandRun<typeof command>['values']): Omit<Unsigned<WaiverProofs>, 'id'> {
  const { id: _none, ...proofs } = proofsOf('', values);
  if (values.reason === undefined) throw new Misuse('--reason is missing');
  return { ...proofs, reason: values.reason, stillRegistered: values['still-registered'] };
}

function statusOf(text: string): DeliveryStatus {
  const status = deliveryStatusSchema.safeParse(text);
  if (!status.success) throw new Misuse(`--status is one of ${deliveryStatusSchema.options.join(', ')}, not ${text}`);
  return status.data;
}

function consumerOf(text: string): string {
  if (!consumerNameSchema.safeParse(text).success) throw new Misuse(`${text} is no name of a consumer`);
  return text;
}

function operationIdOf(text: string): string {
  if (!lifecycleOperationIdSchema.safeParse(text).success) throw new Misuse(`${text} is no id of an operation`);
  return text;
}
