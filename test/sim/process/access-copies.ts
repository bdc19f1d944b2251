/** What the services have published into the broker's bucket of access, and whether it says what the records say. */
import { workspaceAccessBucket, type WorkspaceAccess } from '@platform/contracts-operator';
import { canonicalJson } from '@platform/kernel';
import type { Evidence } from '@platform/testing';
import type { Observed } from '../../chaos/observer/outside-evidence';
import { createVersions } from '../../chaos/observer/versions';
import { accessOf } from '../../../services/operator/src/mirror/domain/access';
import type { Subscription } from '../../../services/operator/src/mirror/domain/subscription';
import type { SimulatedBroker } from './broker/server';

interface Copy {
  readonly tenantId: string;
  readonly life: number;
  readonly value: WorkspaceAccess;
}

const subjects = `$KV.${workspaceAccessBucket}.`;

function copiesIn({ accepted }: SimulatedBroker): Copy[] {
  return accepted.flatMap(({ subject, payload, life }) =>
    subject.startsWith(subjects)
      ? [
          {
            tenantId: subject.slice(subjects.length),
            life,
            value: JSON.parse(payload.toString('utf8')) as WorkspaceAccess,
          },
        ]
      : [],
  );
}

/** Every value in its order; a broker without its disk begins another bucket. */
export function accessCopiesOf(broker: SimulatedBroker): NonNullable<Evidence['accessCopies']> {
  return copiesIn(broker).map(({ tenantId, life, value: { revision } }) => ({
    ...{ tenantId, revision },
    bucket: `${workspaceAccessBucket} ${life}`,
  }));
}

/** At the end the bucket equals the records (law 7), even after losses. */
export function staleCopies({ changes }: Observed, broker: SimulatedBroker): string[] {
  const copies = copiesIn(broker).filter(({ life }) => life === broker.life);
  return createVersions(changes)
    .standing<Subscription>('operator', 'subscriptions')
    .flatMap((record) => {
      const wanted = canonicalJson(accessOf(record));
      const held = canonicalJson(copies.filter(({ tenantId }) => tenantId === record._id).at(-1)?.value ?? null);
      return held === wanted ? [] : [`the bucket holds ${held} for ${record._id}, whose record says ${wanted}`];
    });
}
