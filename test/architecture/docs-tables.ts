/** The tables of the documentation, drawn from the code that they describe. `docs-tables.spec.ts` compares them. */
import { operatorCodes, OPERATOR_LIMITS } from '@platform/contracts-operator';
import { LIFECYCLE_LIMITS } from '@platform/contracts-lifecycle-delivery';
import { baseCodes } from '@platform/http-server';
import type { StatusSteps } from '@platform/kernel';
import { maxBodyBytes } from '@platform/messaging';
import { outcomeTaxonomy } from '@platform/payment-provider';
import { operationSteps } from '../../services/operator/src/domain/operation';
import { deliverySteps } from '../../services/lifecycle-delivery/src/domain/delivery';

type Row = readonly (string | number)[];

function table(head: Row, rows: readonly Row[]): string {
  const line = (cells: Row) => `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), `|${head.map(() => '---|').join('')}`, ...rows.map(line)].join('\n');
}

function codes(entries: Readonly<Record<string, { readonly status: number; readonly title: string; readonly message: string }>>): string {
  return table(['Code', 'Status', 'Title', 'Message'], Object.entries(entries).map(([code, { status, title, message }]) => [`\`${code}\``, status, title, message]));
}

function steps<S extends string>(allowed: StatusSteps<S>): string {
  const rows = (Object.entries(allowed) as [S, readonly S[]][]).map(([from, to]) => [`\`${from}\``, to.length === 0 ? 'never left' : to.map((status) => `\`${status}\``).join(', ')]);
  return table(['Status', 'Leaves to'], rows);
}

/** By file and by the name of the marker in it. */
export const documentedTables: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'docs/errors.md': {
    gateway: codes(operatorCodes),
    every: codes(baseCodes),
    taxonomy: table(['What happened', 'Outcome', 'Code', 'Retry useful?'], outcomeTaxonomy.map(({ what, outcome, code, retry }) => [what, outcome === 'unknown' ? '**unknown**' : outcome, code ? `\`${code}\`` : '', retry])),
  },
  'docs/states.md': { operation: steps(operationSteps), delivery: steps(deliverySteps) },
  'docs/limits.md': {
    operator: table(['Limit', 'Value'], [
      ['Retry window, from intent creation, by the database clock', `${OPERATOR_LIMITS.retryWindowHours} hours`],
      ['Wait for an outcome when the caller names none', `${OPERATOR_LIMITS.defaultWaitSeconds} seconds`],
      ['Longest wait that `Prefer: wait=n` gets', `${OPERATOR_LIMITS.maximumWaitSeconds} seconds`],
      ['Reason of a credit', `1 to ${OPERATOR_LIMITS.creditReasonCharacters} characters`],
      ['Records of one list page', `1 to ${OPERATOR_LIMITS.listItems}`],
    ]),
    lifecycle: table(['Limit', 'Value'], [
      ['Receipt id', `1 to ${LIFECYCLE_LIMITS.receiptIdCharacters} characters`],
      ['Error text of a failed delivery', `${LIFECYCLE_LIMITS.errorCharacters} characters`],
      ['Body of a message', `${maxBodyBytes} bytes`],
    ]),
  },
};
