// The status page: what the twin holds and did, and switches for faults and time, for people.
import type { FastifyInstance } from 'fastify';
import { faultKinds } from '../faults';
import type { Host } from '../http/pipeline';
import type { TableName, Tables } from '../tables';
import type { Webhooks } from '../webhooks';
import { escape, money, sendPage, table, when } from './html';

const shown = 25;

const script = `
  const send = (method, url, body) => fetch(url, { method, ...(body ? { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) } : {}) }).then(async (r) => { if (!r.ok) alert((await r.json()).error.message); location.reload(); });
  document.querySelectorAll('[data-fault]').forEach((b) => b.addEventListener('click', () => send('POST', '/_twin/faults', { match: { method: '*', path: document.querySelector('#path').value || '**' }, fault: b.dataset.fault })));
  document.querySelectorAll('[data-advance]').forEach((b) => b.addEventListener('click', () => send('POST', '/_twin/clock', { advanceSeconds: Number(b.dataset.advance) })));
  document.querySelector('#clear').addEventListener('click', () => send('DELETE', '/_twin/faults'));
  document.querySelector('#release').addEventListener('click', () => send('POST', '/_twin/release', {}));
  document.querySelector('#flush').addEventListener('click', () => send('POST', '/_twin/webhooks/flush'));`;

/** Registers the page at `/_twin`. */
export function openStatusPage(app: FastifyInstance, { twin, faults }: Host, webhooks: Webhooks): void {
  function latest<T extends TableName>(
    name: T,
    keep: (row: Readonly<Tables[T]>) => boolean = () => true,
  ): { rows: Readonly<Tables[T]>[]; count: number } {
    const rows = [...twin.state.rows(name)].filter(keep);
    return { rows: rows.slice(-shown).reverse(), count: rows.length };
  }

  function section<T>(
    title: string,
    { rows, count }: { rows: T[]; count: number },
    headings: string[],
    cells: (row: T) => unknown[],
  ): string {
    const more = count > rows.length ? `, the newest ${rows.length} shown` : '';
    return `<h2>${escape(title)} <span class="quiet">(${count}${more})</span></h2>${table(headings, rows.map(cells))}`;
  }

  const nameOf = (id: unknown): string => {
    const customer = twin.state.get('customer', String(id));
    return customer?.name ?? customer?.email ?? String(id);
  };

  app.get('/_twin', (_request, reply) => {
    const customers = section(
      'Customers',
      latest('customer'),
      ['Id', 'Name', 'Email', 'Balance', 'Created'],
      (each) => [each.id, each.name, each.email, money(each.balance, each.currency), when(each.created)],
    );
    const subscriptions = section(
      'Subscriptions',
      latest('subscription'),
      ['Id', 'Customer', 'Status', 'Prices', 'Period ends'],
      (each) => [
        each.id,
        nameOf(each.customer),
        each.status + (each.pause_collection ? ' (collection paused)' : ''),
        each.items?.data.map((item) => item.price.id).join(', '),
        when(each.items?.data[0]?.current_period_end),
      ],
    );
    const ledger = section(
      'Ledger',
      latest('ledger'),
      ['At', 'Method', 'Path', 'Key', 'Amount', 'Charged', 'Object', 'Request'],
      (each) => [
        when(each.at),
        each.method,
        each.path,
        each.idempotencyKey,
        money(each.amount, each.currency),
        money(each.charged, each.currency ?? 'usd'),
        each.objectId,
        each.requestId,
      ],
    );
    const owed = section(
      'Webhooks not delivered',
      latest('delivery', (each) => each.status !== 'delivered'),
      ['Event', 'Endpoint', 'Attempts', 'State', 'Last answer'],
      (each) => [
        each.event,
        twin.state.get('webhook_endpoint', each.endpoint)?.url ?? each.endpoint,
        each.attempts,
        each.status,
        each.lastStatus ?? each.lastError,
      ],
    );
    const active = table(
      ['Id', 'Fault', 'Matches', 'Left', 'Struck', 'Held'],
      faults
        .list()
        .map((each) => [
          each.id,
          each.fault,
          `${each.match.method} ${each.match.path}`,
          each.remaining ?? 'until removed',
          each.struck,
          each.held.length,
        ]),
    );
    const switches = faultKinds.map((kind) => `<button type="button" data-fault="${kind}">${kind}</button>`).join(' ');
    const body = `<h1>Provider twin</h1>
      <p>Clock: <strong>${escape(when(twin.now()))}</strong> UTC
        <button type="button" data-advance="3600">+1 hour</button> <button type="button" data-advance="86400">+1 day</button> <button type="button" data-advance="2678400">+31 days</button></p>
      <h2>Faults</h2><p><label>Path pattern <input id="path" value="**"></label></p><p>${switches}</p>${active}
      <p><button type="button" id="clear">Remove all</button> <button type="button" id="release">Release held requests</button></p>
      ${customers}${subscriptions}${ledger}${owed}
      <p><button type="button" id="flush">Deliver now</button> ${webhooks.held() ? 'Sending is held.' : ''}</p>`;
    return sendPage(reply, 'Provider twin', body, { script });
  });
}
