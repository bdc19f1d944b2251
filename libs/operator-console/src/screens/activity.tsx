/**
 * What happened on the platform, newest first; every filter is in the address, so a view can be bookmarked and sent.
 */
import type { ActivityPage, ActivityRow } from '@platform/contracts-operator';
import { linkTo, linkToCase } from '../address';
import { Empty, Head, Id, Instant, Shown, Table, title } from '@platform/design-parts';
import { Amount, kindName, Status } from '../parts';
import { formatLocal } from '@platform/design-parts/time';
import { useChanges, useRead } from '../session';
import { CsvDownload } from './csv-download';
import { FinanceDownload } from './finance-download';
import { Choice, Pages } from './list-parts';
import { activityKinds } from './words';

type Filters = Readonly<Record<string, string>>;

const fields = [
  ['workspace', 'Workspace id', 'text'],
  ['actor', 'Person', 'text'],
  ['action', 'Action', 'text'],
  ['status', 'Status', 'text'],
  ['from', 'From (your time)', 'datetime-local'],
  ['to', 'Before (your time)', 'datetime-local'],
] as const;

/**
 * Converts `2026-03-01T12:00` of a field, in the person's zone, to an instant; any other text is returned unchanged,
 * for the gateway to refuse.
 */
function instantOf(text: string): string {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(text) ? new Date(text).toISOString() : text;
}

/** The reverse conversion, for the field. */
function fieldOf(instant: string | undefined): string {
  return instant === undefined ? '' : formatLocal(instant).slice(0, 16).replace(' ', 'T');
}

function FilterForm({ filters }: { filters: Filters }) {
  return (
    <form
      class="filters"
      aria-label="Filters"
      key={JSON.stringify(filters)}
      onSubmit={(event) => {
        event.preventDefault();
        const form = new FormData(event.currentTarget);
        const given = fields.map(([name]) => [name, String(form.get(name) ?? '').trim()] as const);
        const wanted = Object.fromEntries(
          // A field has no seconds, and an hour of autumn comes twice: what was not changed stays the instant that it was.
          given.map(([name, value]) => {
            if (name !== 'from' && name !== 'to') return [name, value];
            return [name, value === fieldOf(filters[name]) ? filters[name] : instantOf(value)];
          }),
        );
        location.hash = linkTo(['activity'], { kind: filters['kind'], ...wanted });
      }}
    >
      {fields.map(([name, label, type]) => (
        <label key={name}>
          {label}
          {type === 'text' ? (
            <input name={name} type="text" defaultValue={filters[name]} spellcheck={false} autocomplete="off" />
          ) : (
            <input name={name} type="datetime-local" defaultValue={fieldOf(filters[name])} />
          )}
        </label>
      ))}
      <button type="submit" class="primary">
        Show
      </button>
      <a class="button" href={linkTo(['activity'])}>
        Show everything
      </a>
    </form>
  );
}

function recordLink({ kind, recordId, tenantId, target }: ActivityRow): string {
  switch (kind) {
    case 'resolution':
      return linkToCase('operation', recordId);
    case 'migration':
      return linkTo(['migrations', recordId]);
    case 'provider_event':
      return linkToCase('webhook_event', recordId);
    case 'creation':
      return linkTo(['workspaces', tenantId ?? recordId]);
    case 'consumer_action':
      return linkTo(['consumers', target ?? recordId]);
    default:
      return linkToCase(kind, recordId);
  }
}

function Row({ row, kept }: { row: ActivityRow; kept: Filters }) {
  const person = row.actor?.email ?? row.actor?.id;
  return (
    <tr>
      <td>
        <Instant at={row.at} />
      </td>
      <td>
        <a href={linkTo(['activity'], { ...kept, action: row.action })}>{title(row.action)}</a>
      </td>
      <td>
        <a href={recordLink(row)}>
          <span class="quiet">{kindName(row.kind)}</span> <Id>{row.recordId}</Id>
        </a>
      </td>
      <td>
        <Status status={row.status} />
      </td>
      <td>{row.tenantId === null ? '–' : <a href={linkTo(['workspaces', row.tenantId])}>{row.tenantId}</a>}</td>
      <td>{person === undefined ? '–' : <a href={linkTo(['activity'], { ...kept, actor: person })}>{person}</a>}</td>
      <td class="number">{row.amount ? <Amount money={row.amount} /> : '–'}</td>
      <td>{row.reason ?? '–'}</td>
    </tr>
  );
}

function Rows({ page, filters, kept }: { page: ActivityPage; filters: Filters; kept: Filters }) {
  const { activity, nextCursor, unavailable = [] } = page;
  return (
    <>
      {unavailable.map(({ service, problem }) => (
        <p key={service} class="notice" role="status">
          <b>{service}</b>: {problem}. What people did to consumer services is missing here.
        </p>
      ))}
      {activity.length > 0 && (
        <Table
          head={['When', 'What', 'Record', 'Status', 'Workspace', 'Who', '#Amount', 'Reason']}
          caption="Activity, newest first"
        >
          {activity.map((row) => (
            <Row key={row.id} row={row} kept={kept} />
          ))}
        </Table>
      )}
      {activity.length === 0 &&
        (nextCursor === undefined ? (
          <Empty title="No activity of this kind is on record." />
        ) : (
          <Empty title="No match in the records searched so far.">The next page continues the search.</Empty>
        ))}
      <Pages screen={['activity']} filters={filters} nextCursor={nextCursor} />
    </>
  );
}

export function ActivityScreen({ filters }: { filters: Filters }) {
  const reading = useRead<ActivityPage>('/api/saas/activity', { ...filters, limit: 50 });
  const { cursor, ...kept } = filters;
  useChanges(() => cursor === undefined, reading.again, 2_000);
  return (
    <section>
      <Head title="Activity" note="Requests, decisions and messages, newest first, read from the records themselves.">
        <CsvDownload path="/api/saas/activity" filters={kept} filename="activity.csv" />
      </Head>
      <FilterForm filters={kept} />
      <Choice
        label="By kind"
        every="Every kind"
        values={activityKinds}
        chosen={filters['kind']}
        link={(kind) => linkTo(['activity'], { ...kept, kind })}
      />
      <FinanceDownload />
      <Shown reading={reading}>{(page) => <Rows page={page} filters={filters} kept={kept} />}</Shown>
    </section>
  );
}
