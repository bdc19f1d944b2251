/** Creations that have not ended: the first hundred, oldest first, and their number. */
import type { AttemptList } from '@platform/contracts-provisioning';
import { linkToCase } from '../address';
import { Empty, Head, Id, Instant, Shown, Table } from '@platform/design-parts';
import { Status } from '../parts';
import { useChanges, useRead } from '../session';

export function ProvisioningScreen() {
  const reading = useRead<AttemptList>('/api/saas/workspaces/provisioning-attempts');
  useChanges((data) => data['kind'] === 'provisioning_attempt', reading.again, 1_000);
  return (
    <section>
      <Head
        title="Provisioning"
        note="Creations that have not ended. Reservations are held as long as the outcome is open; they never expire."
      />
      <Shown reading={reading}>
        {({ attempts, total }) =>
          attempts.length === 0 ? (
            <Empty title="Every creation has ended." />
          ) : (
            <>
              <p class="count">
                <b>
                  {attempts.length} of {total}
                </b>
                , oldest first{total > attempts.length && '. The others are in the work queue.'}
              </p>
              <Table
                head={['Workspace', 'Name', 'Plan', 'Status', 'Executor', 'Begun', 'Last error']}
                caption="Unresolved provisioning attempts, oldest first"
              >
                {attempts.map((each) => (
                  <tr key={each.tenantId}>
                    <td>
                      <a href={linkToCase('provisioning_attempt', each.tenantId)}>
                        <Id>{each.tenantId}</Id>
                      </a>
                    </td>
                    <td>{each.workspaceName}</td>
                    <td>{each.planId}</td>
                    <td>
                      <Status status={each.status} />
                    </td>
                    <td>
                      {each.executor.instance} <Status status={each.executor.state} />
                    </td>
                    <td>
                      <Instant at={each.createdAt} />
                    </td>
                    <td>{each.lastError?.message ?? '–'}</td>
                  </tr>
                ))}
              </Table>
            </>
          )
        }
      </Shown>
    </section>
  );
}
