/** The tables of the operator's actions, generated from their definitions: addresses, order of refusals, steps. */
import {
  actionPath,
  contractOf,
  operationActions,
  refusalsOf,
  starterPolicy,
  type ActionContract,
  type OperationAction,
} from '@platform/contracts-operator';
import { actionOf } from '../../services/operator/src/operations/domain/actions';
import { table } from './markdown-table';

const people: Readonly<Record<ReturnType<typeof starterPolicy>, string>> = {
  support: 'support, platform owner',
  finance: 'finance, platform owner',
  support_or_finance: 'support, finance, platform owner',
  platform_owner: 'platform owner',
  workspace_owner: 'workspace owner',
};
const address = (action: OperationAction) =>
  `${contractOf(action).method} \`${actionPath(action).replace(':tenantId', '{tenantId}')}\``;
const quoted = (codes: readonly string[]) => (codes.length === 0 ? '–' : codes.map((code) => `\`${code}\``).join(', '));
const sentence = (text: string) => text.charAt(0).toLowerCase() + text.slice(1);

function bodyOf(action: OperationAction): string {
  const values = Object.entries(contractOf(action).values).map(
    ([name, { optional }]) => `${name}${optional ? '?' : ''}`,
  );
  return `\`${['operationId', ...values].join(', ')}\``;
}

const answers: Readonly<Record<ActionContract['answers'], string>> = {
  operation: 'operation',
  checkout: '`{operationId, status, checkoutUrl, expiresAt?, trialDays?}`',
};

export const contractRows = table(
  ['Method, path', 'For', 'Body', 'Does', 'Success', 'While access is closed'],
  operationActions.map((action) => {
    const contract = contractOf(action);
    const { summary, answers: answer, whileClosed } = contract;
    return [
      address(action),
      people[starterPolicy(contract)],
      bodyOf(action),
      sentence(summary),
      answers[answer],
      whileClosed,
    ];
  }),
);

export const servedRows = table(
  ['Method, path', 'For', 'Does'],
  operationActions.map((action) => {
    const contract = contractOf(action);
    return [address(action), people[starterPolicy(contract)], sentence(contract.summary)];
  }),
);

export const refusalRows = table(
  ['Action', 'In this order', 'Then, by others', 'Moves money'],
  operationActions.map((action) => {
    const { laterRefusals, movesMoney } = contractOf(action);
    return [`\`${action}\``, quoted(refusalsOf(action)), quoted(laterRefusals), movesMoney ? 'yes' : 'no'];
  }),
);

export const stepRows = table(
  ['Action', 'Effects, in order'],
  operationActions.map((action) => [action, actionOf(action).inOrder]),
);
