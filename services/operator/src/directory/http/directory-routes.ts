/** The directory of workspaces: list with search, and one workspace with all that is known of it. Read-only. */
import { directoryQuerySchema, workspaceDetailSchema, workspacePageSchema } from '@platform/contracts-operator';
import { defineRoute, problem, reply, type Route } from '@platform/http-server';
import { alsoCsv, csvHeaders, csvReply, wantsCsv } from '../../listing/csv-page';
import { tenantParams } from '../../operations/http/request-parts';
import { executorStates, type ReadPorts } from '../../operations/workflows/read-operation';
import { listWorkspaces, type DirectoryPorts } from '../workflows/list-workspaces';
import { readWorkspace, type WorkspacePorts } from '../workflows/read-workspace';
import { directoryCsv } from './directory-csv';
import { exampleWorkspaces } from './directory-examples';
import { workspaceDetail, workspaceRow } from './directory-view';

export type DirectoryRoutePorts = DirectoryPorts & WorkspacePorts & Pick<ReadPorts, 'askExecutors'>;

const path = '/api/saas/workspaces';

export function directoryRoutes(ports: DirectoryRoutePorts): Route[] {
  return [
    defineRoute({
      name: 'listWorkspaces',
      method: 'GET',
      path,
      policy: 'staff',
      tags: ['workspaces'],
      summary: 'Find workspaces',
      description:
        'Newest first. A search reads at most 200 candidates of an index per page; a page may be short, or empty, although `nextCursor` says that more follows. As text/csv the next page is named by the header `Link`.',
      query: directoryQuerySchema,
      headers: csvHeaders,
      responses: { 200: workspacePageSchema },
      alsoProduces: alsoCsv,
      errors: ['store_unavailable'],
      examples: { responses: { 200: { found: exampleWorkspaces } } },
      handle: async ({ query, headers }) => {
        const page = await listWorkspaces(ports, query);
        if (!page)
          return problem('invalid_request', {
            errors: [{ pointer: '/query/cursor', message: 'is not a cursor of this list' }],
          });
        const { found, nextCursor } = page;
        const workspaces = page.workspaces.map(workspaceRow);
        if (wantsCsv(query.format, headers.accept))
          return csvReply({ path, query, filename: 'workspaces.csv', text: directoryCsv(workspaces), nextCursor });
        return reply(200, { workspaces, found, ...(nextCursor !== undefined && { nextCursor }) });
      },
    }),
    defineRoute({
      name: 'readWorkspace',
      method: 'GET',
      path: '/api/saas/workspaces/:tenantId',
      policy: 'staff',
      tags: ['workspaces'],
      summary: 'Read a workspace: subscription, access, latest operations, creation, deliveries, invoice',
      description:
        'Parts that another service or the payment provider answers for say whether they were answered; the rest is read from the gateway.',
      params: tenantParams,
      responses: { 200: workspaceDetailSchema },
      errors: ['not_found', 'store_unavailable'],
      handle: async ({ params }) => {
        const read = await readWorkspace(ports, params.tenantId);
        if (!read) return problem('not_found', { detail: 'There is no such workspace.' });
        return reply(200, workspaceDetail(read, await executorStates(ports, read.operations), ports.dashboard));
      },
    }),
  ];
}
