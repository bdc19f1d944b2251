/** What the provider shows, in the words of the contract. */
import type { ProviderFindingsView } from '@platform/contracts-operator';
import type { ProviderFindings } from '../workflows/find-at-provider';

/** Objects in the order of their steps, each once. */
export function findingsView({ source, evidence }: ProviderFindings): ProviderFindingsView {
  const objects = evidence.flatMap(({ step, objects: shown }) =>
    shown.map(({ kind, id, summary }) => ({ kind, id, step, summary: { ...summary } })),
  );
  const problem = evidence.flatMap(({ problem: each }) => (each === undefined ? [] : [each])).join('; ');
  return {
    source,
    objects: objects.filter(({ id }, at) => objects.findIndex((each) => each.id === id) === at),
    ...(evidence.length > 0 && {
      searches: evidence.map((each) => ({
        step: each.step,
        search: each.search,
        looksFor: each.looksFor,
        readAt: each.readAt.toISOString(),
        result: each.source === 'answered' ? (each.objects.length > 0 ? 'found' : 'nothing_found') : each.source,
        ...(each.problem !== undefined && { problem: each.problem }),
      })),
    }),
    ...(problem !== '' && { problem }),
  };
}
