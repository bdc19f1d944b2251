/** The activity of the platform as JSON and as comma-separated values. Read-only. */
import { activityPageSchema, activityQuerySchema, type ActivityPage } from '@platform/contracts-operator';
import { defineRoute, problem, reply, type Route } from '@platform/http-server';
import { alsoCsv, csvHeaders, csvReply, wantsCsv } from '../../listing/csv-page';
import { listActivity } from '../workflows/list-activity';
import type { ActivityPorts } from '../workflows/lanes';
import { activityCsv } from './activity-csv';

const path = '/api/saas/activity';

/** Checked against the schema when the server is created. */
const exampleActivity: ActivityPage = {
  activity: [
    {
      id: 'operation:op-2026-0001',
      at: '2026-03-02T08:00:00.000Z',
      kind: 'operation',
      recordId: 'op-2026-0001',
      action: 'credit_customer',
      status: 'succeeded',
      tenantId: 'acme',
      actor: { id: 'user-1', email: 'ann@platform.example' },
      reason: 'outage of 1 March',
      amount: { amountCents: 500, currency: 'usd' },
    },
  ],
};

export function activityRoutes(ports: ActivityPorts): Route[] {
  return [
    defineRoute({
      name: 'listActivity',
      method: 'GET',
      path,
      policy: 'staff',
      tags: ['activity'],
      summary: 'What happened, newest first',
      description:
        'Operations, resolutions, migrations, events of the payment provider, creations and what people did to consumer services in one list, read from their records. What people did to consumers is asked of lifecycle-delivery: when it does not answer, `unavailable` names it, and text/csv is refused. With a filter at most 200 records of each kind are looked at per page, so a page may be short, or empty, although `nextCursor` says that more follows. As text/csv the next page is named by the header `Link`.',
      query: activityQuerySchema,
      headers: csvHeaders,
      responses: { 200: activityPageSchema },
      alsoProduces: alsoCsv,
      errors: ['store_unavailable', 'peer_unavailable'],
      examples: { responses: { 200: { credit: exampleActivity } } },
      handle: async ({ query, headers }) => {
        const page = await listActivity(ports, query);
        if (!page)
          return problem('invalid_request', {
            errors: [{ pointer: '/query/cursor', message: 'is not a cursor of this list' }],
          });
        if (!wantsCsv(query.format, headers.accept)) return reply(200, page);
        if (page.unavailable)
          return problem('peer_unavailable', {
            detail: 'lifecycle-delivery did not answer, so rows would be missing. Ask again, or for other kinds.',
            retryAfterSeconds: 2,
          });
        const { nextCursor } = page;
        return csvReply({ path, query, filename: 'activity.csv', text: activityCsv(page.activity), nextCursor });
      },
    }),
  ];
}
