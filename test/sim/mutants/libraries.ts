/** Law-breaking builds of libraries: the classification of outcomes and the writing of records. */
import type { Mutant } from './mutant';

export const libraryMutants: readonly Mutant[] = [
  {
    id: 'takes-500-for-a-refusal',
    breaks: ['L2', 'I4'],
    what: "the provider's 5xx counts as failed",
    file: 'libs/payment-provider/src/outcome-taxonomy.ts',
    find: "what: '5xx, fresh or replayed under the key',\n    outcome: 'unknown',",
    replace: "what: '5xx, fresh or replayed under the key',\n    outcome: 'failed',\n    code: 'provider_unavailable',",
  },
  {
    id: 'takes-silence-for-a-refusal',
    breaks: ['L2', 'I4'],
    what: 'a lost answer counts as failed',
    file: 'libs/payment-provider/src/outcome-taxonomy.ts',
    find: "what: 'connection lost or time-out after the first byte was written',\n    outcome: 'unknown',",
    replace:
      "what: 'connection lost or time-out after the first byte was written',\n    outcome: 'failed',\n    code: 'provider_unavailable',",
  },
  {
    id: 'writes-over-others',
    breaks: ['L5', 'I7'],
    what: 'a write does not compare the revision that it read',
    file: 'libs/mongo/src/fake/fake-collection.ts',
    find: "if (!row || row['revision'] !== current.revision) return { outcome: 'not_applied' };",
    replace: "if (!row) return { outcome: 'not_applied' };",
  },
  {
    id: 'repeats-lost-races',
    breaks: ['L5', 'I2', 'I4', 'I14'],
    what: 'an executor that lost the race writes again over what is stored',
    file: 'libs/durable/src/record/write-fenced.ts',
    find: "return { kind: 'lost', record: ended };",
    replace: "if (!ended) return { kind: 'lost', record: ended }; current = ended; continue;",
  },
  {
    id: 'begins-before-it-writes',
    breaks: ['L1', 'I1'],
    what: 'an attempt whose insert has no answer is begun as if it were durable',
    file: 'libs/durable/src/record/write-fenced.ts',
    find: 'unanswered();',
    replace:
      "if (tries === 1) return { kind: 'written', record: { ...draft, revision: 'unread', createdAt: new Date(0), updatedAt: new Date(0) } as unknown as T };",
    suite: 'libs/durable/src/record/write-fenced.unit.spec.ts',
  },
  {
    id: 'takes-anothers-attempt',
    breaks: ['L5', 'I2'],
    what: 'a request whose insert came second takes the attempt that is stored for its own',
    file: 'libs/durable/src/record/write-fenced.ts',
    find: 'const ours = tries > 1 && existing !== null && sameContent(existing, draft, collection.derived);',
    replace: 'const ours = existing !== null;',
    suite: 'libs/durable/src/record/write-fenced.unit.spec.ts',
  },
  {
    id: 'takes-silence-for-life',
    breaks: ['L3', 'L4'],
    what: 'an executor that does not answer counts as alive, so that no alert tells of what it left',
    file: 'libs/durable/src/executors/ask-executors.ts',
    find: "return { ...known, state: boot.supersededBy ? 'superseded' : 'not_proven' };",
    replace: "return { ...known, state: 'alive' };",
  },
];
