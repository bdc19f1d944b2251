/** The status page for people: the twin's state and actions, and controls for faults and time. */
import type { FastifyInstance } from 'fastify';
import { faultKinds } from '../faults';
import type { Host } from '../http/pipeline';
import type { Webhooks } from '../webhooks';
import { escape, sendPage, when } from './html';
import { customersTable, faultsTable, ledgerTable, owedTable, subscriptionsTable } from './status-tables';

const script = `
  const send = (method, url, body) => fetch(url, { method, ...(body ? { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) } : {}) }).then(async (r) => { if (!r.ok) alert((await r.json()).error.message); location.reload(); });
  document.querySelectorAll('[data-fault]').forEach((b) => b.addEventListener('click', () => send('POST', '/_twin/faults', { match: { method: '*', path: document.querySelector('#path').value || '**' }, fault: b.dataset.fault })));
  document.querySelectorAll('[data-advance]').forEach((b) => b.addEventListener('click', () => send('POST', '/_twin/clock', { advanceSeconds: Number(b.dataset.advance) })));
  document.querySelector('#clear').addEventListener('click', () => send('DELETE', '/_twin/faults'));
  document.querySelector('#release').addEventListener('click', () => send('POST', '/_twin/release', {}));
  document.querySelector('#flush').addEventListener('click', () => send('POST', '/_twin/webhooks/flush'));`;

/** Registers the page at `/_twin`. */
export function openStatusPage(app: FastifyInstance, { twin, faults }: Host, webhooks: Webhooks): void {
  app.get('/_twin', (_request, reply) => {
    const switches = faultKinds.map((kind) => `<button type="button" data-fault="${kind}">${kind}</button>`).join(' ');
    const body = `<h1>Provider twin</h1>
      <p>Clock: <strong>${escape(when(twin.now()))}</strong> UTC
        <button type="button" data-advance="3600">+1 hour</button> <button type="button" data-advance="86400">+1 day</button> <button type="button" data-advance="2678400">+31 days</button></p>
      <h2>Faults</h2><p><label>Path pattern <input id="path" value="**"></label></p><p>${switches}</p>${faultsTable(faults)}
      <p><button type="button" id="clear">Remove all</button> <button type="button" id="release">Release held requests</button></p>
      ${customersTable(twin)}${subscriptionsTable(twin)}${ledgerTable(twin)}${owedTable(twin)}
      <p><button type="button" id="flush">Deliver now</button> ${webhooks.held() ? 'Sending is held.' : ''}</p>`;
    return sendPage(reply, 'Provider twin', body, { script });
  });
}
