/** Law-breaking builds of access: its publication, its owner's answer and the guard. */
import type { Mutant } from './mutant';

const operator = (path: string) => `services/operator/src/access/${path}`;
const guard = 'libs/interfaces/workspace-platform/src/access/guard.ts';

export const accessMutants: readonly Mutant[] = [
  {
    id: 'trusts-any-answer',
    breaks: ['I15'],
    what: 'a guard goes by an answer however old it is',
    file: guard,
    find: 'const { decision, askedAt } = known && fresh(known) ? known : await asked(tenantId);\n        const ageMs = now() - askedAt;',
    replace:
      'const { decision, askedAt } = known ?? (await asked(tenantId));\n        const ageMs = fresh({ decision, askedAt }) ? now() - askedAt : 0;',
  },
  {
    id: 'opens-on-unknown',
    breaks: ['I15'],
    what: 'a guard that gets no answer lets the request through',
    file: guard,
    find: "if (!heldUp || questions >= questionsMax) return { decision: { state: 'unknown' }, ageMs: 0 };",
    replace: "if (!heldUp || questions >= questionsMax) return { decision: { state: 'open' }, ageMs: 0 };",
  },
  {
    id: 'answers-from-memory',
    breaks: ['L7', 'I15'],
    what: 'the owner answers from what it read of the record before',
    file: operator('workflows/read-access.ts'),
    find: 'const subscription = await ports.subscriptions.findById(tenantId);',
    replace:
      'const memory = ((globalThis as { seen?: Map<string, Subscription> }).seen ??= new Map()); const subscription = memory.get(tenantId) ?? (await ports.subscriptions.findById(tenantId)); if (subscription) memory.set(tenantId, subscription);',
  },
  {
    id: 'publishes-without-revision',
    breaks: ['L7', 'I15'],
    what: 'a publication replaces whatever the bucket holds',
    file: operator('workflows/publish-access.ts'),
    find: "if (standing.success && !replaces(access, standing.data)) return 'acknowledged';",
    replace: "if (standing.success && replaces === undefined) return 'acknowledged';",
  },
  {
    id: 'closes-access-in-silence',
    breaks: ['L7'],
    what: 'a write that changes access does not carry the intent to publish it',
    file: operator('workflows/announce-access.ts'),
    find: 'const entries = changed(current, next) ? [entryOf(next, clock.now())] : [];',
    replace: 'const entries: OutboxEntry[] = [];',
  },
  {
    id: 'fills-the-bucket-once',
    breaks: ['L7'],
    what: 'a bucket that the broker lost stays empty',
    file: operator('workflows/publish-access.ts'),
    find: 'if (identity === null || identity === filled) return;',
    replace: 'if (identity === null || filled !== null) return;',
  },
];
