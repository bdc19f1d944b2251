/** Law-breaking builds of recorded resolutions: executors that wake, and tools that trust missing records. */
import type { Mutant } from './mutant';

export const resolutionMutants: readonly Mutant[] = [
  {
    id: 'overwrites-a-resolution',
    breaks: ['L4', 'L5', 'I7'],
    what: 'an executor that lost the race against an investigation reads again and writes over it',
    file: 'libs/durable/src/record/write-fenced.ts',
    find: "return { kind: 'lost', record: ended };",
    replace:
      "if (ended && 'resolution' in ended) { current = ended; continue; } return { kind: 'lost', record: ended };",
  },
  {
    id: 'buries-any-marker',
    breaks: ['L4', 'I12'],
    what: 'a step outside the table: a rollback writes its tombstone over whatever marker it finds',
    file: 'services/provisioning/src/workflows/roll-back.ts',
    find: "const tombstone = markerSteps.move(closed, 'cancelled', { cancelledAt: now });",
    replace:
      "closed = ((await ports.markers.findById(closed._id)) ?? closed) as OpenMarker; const tombstone = { ...closed, provisioningState: 'cancelled', cancelledAt: now } as never;",
  },
  {
    id: 'believes-a-resolution',
    breaks: ['I17'],
    what: 'the off-line command records what one person says, whatever the provider shows',
    file: 'libs/durable/src/investigation/plan.ts',
    find: 'const refusal = evidenceRefusal({ outcome, providerObject }, shown, calls, now);',
    replace:
      'evidenceRefusal({ outcome, providerObject }, shown, calls, now); const refusal = null as EvidenceRefusal | null;',
  },
  {
    id: 'forgets-what-was-resolved',
    breaks: ['L3'],
    what: 'the watch over recorded resolutions takes what arrives late for what was known',
    file: 'libs/durable/src/investigation/watched.ts',
    find: "return refusal?.code === 'resolution_contradicted' ? refusal.text : null;",
    replace: 'return null;',
  },
  {
    id: 'mirrors-missing-answers',
    breaks: ['L6'],
    what: 'clearing after a resolution mirrors the answers of calls that were never answered',
    file: 'services/operator/src/operations/workflows/journal-outcome.ts',
    find: 'action.onResolved?.(subscription, operation, now)',
    replace: 'action.mirrored?.(subscription, operation, [], now)',
  },
];
