/** Events of the payment provider: what arrived, its owner, and its outcome. */
import type { WebhookEventView } from '@platform/contracts-operator';
import { linkTo, linkToCase } from '../address';
import { Empty, Head, Id, Instant, Shown, Table, words } from '@platform/design-parts';
import { Status } from '../parts';
import { useChanges, useRead } from '../session';
import { Choice, Pages } from './list-parts';
import { webhookResults } from './words';

interface EventsPage {
  readonly events: readonly WebhookEventView[];
  readonly nextCursor?: string;
}

function EventTable({ events }: Pick<EventsPage, 'events'>) {
  return (
    <Table
      head={['Event', 'Type', 'Owner', 'Result', 'Object', '#Redelivered', 'Received', 'Error']}
      caption="Events of the payment provider, newest first"
    >
      {events.map((each) => (
        <tr key={each.eventId}>
          <td>
            <a href={linkToCase('webhook_event', each.eventId)}>
              <Id>{each.eventId}</Id>
            </a>
          </td>
          <td>{each.type}</td>
          <td>{each.owner ?? 'no service'}</td>
          <td>
            <Status status={each.result} />
          </td>
          <td>
            <Id>{String(each.object['id'] ?? '–')}</Id>
          </td>
          <td class="number">{each.deliveries}</td>
          <td>
            <Instant at={each.receivedAt} />
          </td>
          <td>{each.errorMessage ?? '–'}</td>
        </tr>
      ))}
    </Table>
  );
}

export function WebhooksScreen({ filters }: { filters: Readonly<Record<string, string>> }) {
  const { result, cursor } = filters;
  const reading = useRead<EventsPage>('/api/saas/webhook-events', { result, cursor, limit: 40 });
  useChanges((data) => data['kind'] === 'webhook_event', reading.again, 1_000);
  return (
    <section>
      <Head
        title="Webhook events"
        note="An event is handled once. One that stopped is never handled again by itself: its resolution is recorded off-line."
      />
      <Choice
        label="By result"
        every="Every result"
        values={webhookResults}
        chosen={result}
        link={(each) => linkTo(['webhooks'], { result: each })}
      />
      <Shown reading={reading}>
        {({ events, nextCursor }) =>
          events.length === 0 ? (
            <Empty title={result ? `No event is ${words(result)}.` : 'No event has come yet.'} />
          ) : (
            <>
              <EventTable events={events} />
              <Pages screen={['webhooks']} filters={filters} nextCursor={nextCursor} />
            </>
          )
        }
      </Shown>
    </section>
  );
}
