/** The case of an item as the console shows it, read from the records of a test world and the answers of peers. */
import { caseSchema } from '@platform/contracts-operator';
import { ok, refused, type ExecutorState } from '@platform/kernel';
import { operationsCollection } from '../../operations/store/operations';
import { planMigrationItemsCollection } from '../../migrations/store/plan-migration-items';
import { planMigrationsCollection } from '../../migrations/store/plan-migrations';
import { deadLettersCollection } from '../../dead-letters/store/dead-letters';
import { plansCollection } from '../../catalogue/store/plans';
import { providerEventAdmissionsCollection } from '../../provider-events/store/provider-event-admissions';
import { differencesCollection } from '../../reconciliation/store/differences';
import { subscriptionsCollection } from '../../mirror/store/subscriptions';
import type { MigrationWorld } from '../../migrations/testing/migration-world';
import { readCase, type CasePorts } from '../workflows/read-case';
import { createPrices } from '../../work-queue/workflows/prices';
import { isUnavailable } from '../../work-queue/workflows/ports';
import { caseView } from '../http/case-view';

/** By subject: an answer, or a function that answers. */
export type Answers = Readonly<Record<string, unknown>>;

export function casePortsOf(
  { store, provider, clock }: MigrationWorld,
  state: ExecutorState = 'alive',
  answers: Answers = {},
): CasePorts {
  const owned = {
    subscriptions: store.collection(subscriptionsCollection),
    plans: store.collection(plansCollection),
    migrationItems: store.collection(planMigrationItemsCollection),
  };
  return {
    ...owned,
    operations: store.collection(operationsCollection),
    migrations: store.collection(planMigrationsCollection),
    admissions: store.collection(providerEventAdmissionsCollection),
    letters: { letters: store.collection(deadLettersCollection), messaging: { storedMessages: async () => [] } },
    differences: store.collection(differencesCollection),
    provider,
    clock,
    prices: createPrices(owned, clock),
    askExecutors: async (questions) => questions.map(() => ({ state })),
    messaging: {
      request: async (subject: string, body: Record<string, unknown>) =>
        subject in answers
          ? ok(
              typeof answers[subject] === 'function'
                ? (answers[subject] as (asked: typeof body) => unknown)(body)
                : answers[subject],
            )
          : refused({ code: 'no_responders', message: 'no responders' }),
    } as unknown as CasePorts['messaging'],
  };
}

export async function caseViewOf(
  ports: CasePorts,
  kind: 'migration' | 'migration_item' | 'webhook_event' | 'provisioning_attempt',
  id: string,
) {
  const material = await readCase(ports, kind, id);
  if (!material || isUnavailable(material)) throw new Error(`no case: ${JSON.stringify(material)}`);
  return caseSchema.parse(caseView(material));
}
