/** Deliveries and consumers: which consumers owe a receipt, since when, and why. */
import type { Streams } from '@platform/contracts-operator';
import { deliveryStatuses, withoutReceipt } from './words';
import { linkTo, linkToCase } from '../address';
import { Empty, Head, Id, Instant, Shown, Table, words, type Reading } from '@platform/design-parts';
import { Status } from '../parts';
import { Attempts } from './attempts';
import { useChanges, useIsTeam, useRead, useSession } from '../session';
import { Bars } from './charts';
import { RegisterEndpoint } from './endpoint-form';
import { Choice, Pages } from './list-parts';
import { readersOf, readerState } from './readers';
import type { ConsumersPage, DeliveriesPage } from './types';

type Filters = Readonly<Record<string, string>>;

function Consumers() {
  const reading = useRead<ConsumersPage>('/api/saas/lifecycle/consumers');
  const streams = useRead<Streams>('/api/saas/streams');
  const readers = readersOf(streams.data);
  const { role } = useSession();
  useChanges((data) => data['kind'] === 'delivery', reading.again, 2_000);
  return (
    <section aria-labelledby="consumers">
      <h2 id="consumers">Consumers</h2>
      <Shown reading={reading}>
        {({ consumers }) =>
          consumers.length === 0 ? (
            <Empty title="No consumer has ever registered.">Suspensions and reactivations settle at once.</Empty>
          ) : (
            <>
              <Bars
                title="Waiting deliveries by consumer"
                bars={consumers.map(({ name, waitingDeliveries }) => ({ label: name, value: waitingDeliveries }))}
              />
              <Table
                head={['Consumer', 'Status', 'Transitions', '#Waiting', 'Oldest', 'Registered']}
                caption="Lifecycle consumers"
              >
                {consumers.map((each) => (
                  <tr key={each.name}>
                    <td>
                      <a href={linkTo(['consumers', each.name])}>{each.name}</a>
                    </td>
                    <td>
                      <Status status={readerState(each, readers)} />
                    </td>
                    <td>{each.transitions.map(words).join(', ')}</td>
                    <td class="number">{each.waitingDeliveries}</td>
                    <td>{each.oldestWaitingAt === undefined ? '–' : <Instant at={each.oldestWaitingAt} />}</td>
                    <td>
                      <Instant at={each.registeredAt} /> <span class="quiet">{each.registeredBy}</span>
                    </td>
                  </tr>
                ))}
              </Table>
            </>
          )
        }
      </Shown>
      {role === 'platform_owner' && <RegisterEndpoint />}
    </section>
  );
}

/** A team has no case, no workspace page and no other consumer to go to. */
function DeliveryTable({ deliveries }: Pick<DeliveriesPage, 'deliveries'>) {
  const team = useIsTeam();
  return (
    <Table
      head={['Operation', 'Workspace', 'Transition', 'Consumer', 'Status', 'Attempts', 'Since', 'Receipt or reason']}
      caption="Deliveries, newest first"
    >
      {deliveries.map((each) => (
        <tr key={`${each.operationId}/${each.consumer}`}>
          <td>
            {team ? (
              <Id>{each.operationId}</Id>
            ) : (
              <a href={linkToCase('delivery', `${each.operationId}/${each.consumer}`)}>
                <Id>{each.operationId}</Id>
              </a>
            )}
          </td>
          <td>{team ? each.tenantId : <a href={linkTo(['workspaces', each.tenantId])}>{each.tenantId}</a>}</td>
          <td>{words(each.transition)}</td>
          <td>
            <a href={linkTo(['consumers', each.consumer])}>{each.consumer}</a>
          </td>
          <td>
            <Status status={each.status} />
          </td>
          <td>
            <Attempts {...each} />
          </td>
          <td>
            <Instant at={each.createdAt} />
          </td>
          <td>{each.receipt ? <Id>{each.receipt.receiptId}</Id> : withoutReceipt(each)}</td>
        </tr>
      ))}
    </Table>
  );
}

/** By status, newest first; `screen` is the screen of the filters' links. */
export function DeliveryRows({
  reading,
  screen,
  filters,
}: {
  reading: Reading<DeliveriesPage>;
  screen: readonly string[];
  filters: Filters;
}) {
  const { status, cursor: _from, ...kept } = filters;
  return (
    <>
      <Choice
        label="By status"
        every="Every status"
        values={deliveryStatuses}
        chosen={status}
        link={(each) => linkTo(screen, { ...kept, status: each })}
      />
      <Shown reading={reading}>
        {({ deliveries, nextCursor }) =>
          deliveries.length === 0 ? (
            <Empty title="There is no such delivery." />
          ) : (
            <>
              <DeliveryTable deliveries={deliveries} />
              <Pages screen={screen} filters={filters} nextCursor={nextCursor} />
            </>
          )
        }
      </Shown>
    </>
  );
}

export function DeliveriesScreen({ filters }: { filters: Filters }) {
  const { status, consumer, cursor } = filters;
  const reading = useRead<DeliveriesPage>('/api/saas/lifecycle/deliveries', { status, consumer, cursor, limit: 50 });
  useChanges((data) => data['kind'] === 'delivery', reading.again, 2_000);
  return (
    <section>
      <Head title="Deliveries and consumers" note="A delivery is repeated until its receipt is durable." />
      <Consumers />
      <section aria-labelledby="deliveries">
        <h2 id="deliveries">
          Deliveries
          {consumer && (
            <>
              {' '}
              to {consumer}{' '}
              <a class="clear" href={linkTo(['deliveries'], { status })}>
                all consumers
              </a>
            </>
          )}
        </h2>
        <DeliveryRows reading={reading} screen={['deliveries']} filters={filters} />
      </section>
    </section>
  );
}
