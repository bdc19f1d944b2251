/**
 * The studio's operations besides the six of the specification: review, drafts, history, undo, new pages and resources.
 */
import { defineRoute, type Route } from '@platform/http-server';
import { z } from 'zod';
import { isCollectionName } from '../domain/introspect';
import { answered, runnerOf, shared, type CallBuilder } from './builder-routes';
import { documented, draftInput, removedQuery, writtenQuery } from './builder-schemas';
import * as shapes from './studio-schemas';

const { pageRef, queryRef, version } = shapes;
const id = z.string().min(1).max(64);

export function studioRoutes(call: CallBuilder): Route[] {
  return [
    ...editRoutes(call),
    ...pastRoutes(call),
    ...draftRoutes(call),
    ...publishingRoutes(call),
    ...projectRoutes(call),
  ];
}

function editRoutes(call: CallBuilder): Route[] {
  const run = runnerOf(call);
  return [
    defineRoute({
      ...shared,
      method: 'POST',
      path: '/api/builder/ReviewEdit',
      summary: 'What an edit would write, whole files before and after, without writing',
      body: z.strictObject({ edit: shapes.edit, expectedVersion: version.optional() }),
      responses: answered(shapes.reviewed),
      examples: { body: { 'a removal': { edit: { kind: 'remove', query: '/shop/orders@openOrders' } } } },
      handle: ({ body: { edit, expectedVersion } }) =>
        run<z.input<typeof shapes.reviewed>>(
          edit.kind === 'add' ? '/edit/input' : '/edit/patch',
          'reviewEdit',
          edit,
          expectedVersion,
        ),
    }),
    defineRoute({
      ...shared,
      method: 'GET',
      path: '/api/builder/ProposeAdoption',
      summary: 'The smallest change that makes an opaque query editable again',
      query: z.strictObject({ query: queryRef }),
      responses: answered(shapes.adoption),
      handle: ({ query: { query } }) => run<z.input<typeof shapes.adoption>>('', 'proposeAdoption', query),
    }),
    defineRoute({
      ...shared,
      method: 'POST',
      path: '/api/builder/AdoptQuery',
      summary: 'Write the change that ProposeAdoption named',
      body: z.strictObject({ query: queryRef, expectedVersion: version }),
      responses: answered(removedQuery),
      examples: { body: { 'one query': { query: '/shop/orders@openOrders', expectedVersion: 'as read' } } },
      handle: ({ body: { query, expectedVersion } }) =>
        run<z.input<typeof removedQuery>>('', 'adoptQuery', query, { expectedVersion }),
    }),
  ];
}

function pastRoutes(call: CallBuilder): Route[] {
  const run = runnerOf(call);
  return [
    defineRoute({
      ...shared,
      method: 'GET',
      path: '/api/builder/LastSave',
      summary: 'The save that can be undone now',
      responses: answered(shapes.lastSave),
      handle: () => run<z.input<typeof shapes.lastSave>>('', 'lastSave'),
    }),
    defineRoute({
      ...shared,
      method: 'POST',
      path: '/api/builder/UndoSave',
      summary: 'Take the last save back, while its files are what it wrote',
      body: shapes.undoing,
      responses: answered(shapes.undone),
      examples: { body: { 'the last one': {} } },
      handle: ({ body: { savedAt } }) => run<z.input<typeof shapes.undone>>('', 'undoSave', savedAt),
    }),
    defineRoute({
      ...shared,
      method: 'GET',
      path: '/api/builder/QueryHistory',
      summary: "Commits of the project's own git that changed a query",
      query: z.strictObject({ query: queryRef }),
      responses: answered(shapes.history),
      handle: ({ query: { query } }) => run<z.input<typeof shapes.history>>('', 'queryHistory', query),
    }),
  ];
}

function draftRoutes(call: CallBuilder): Route[] {
  const run = runnerOf(call);
  return [
    defineRoute({
      ...shared,
      method: 'GET',
      path: '/api/builder/ListDrafts',
      summary: 'Queries that no page serves yet',
      responses: answered(shapes.draftList),
      handle: () => run<z.input<typeof shapes.draftList>>('', 'listDrafts'),
    }),
    defineRoute({
      ...shared,
      method: 'POST',
      path: '/api/builder/SaveDraft',
      summary: 'Keep a query as a draft; without an id a new one',
      body: z.strictObject({
        id: id.optional(),
        revision: z.int().min(1).optional(),
        pageRef,
        input: documented(draftInput),
      }),
      responses: answered(shapes.draft),
      examples: { body: { 'a new one': { pageRef: '/shop/orders', input: { name: 'gifts', template: 'count' } } } },
      handle: ({ body, caller }) =>
        run<z.input<typeof shapes.draft>>('/input', 'saveDraft', body, caller.email ?? caller.subject),
    }),
    defineRoute({
      ...shared,
      method: 'POST',
      path: '/api/builder/DiscardDraft',
      summary: 'End a draft',
      body: z.strictObject({ id, revision: shapes.seenRevision }),
      responses: answered(z.object({ id: z.string() })),
      examples: { body: { 'one draft': { id: 'c0ffee' } } },
      handle: ({ body }) => run<{ id: string }>('', 'discardDraft', body.id, body.revision),
    }),
  ];
}

function publishingRoutes(call: CallBuilder): Route[] {
  const run = runnerOf(call);
  return [
    defineRoute({
      ...shared,
      method: 'POST',
      path: '/api/builder/PublishDraft',
      summary: 'Write the query of a draft, and end the draft',
      body: z.strictObject({ id, revision: shapes.seenRevision, expectedVersion: version.optional() }),
      responses: answered(writtenQuery),
      examples: { body: { 'one draft': { id: 'c0ffee' } } },
      handle: ({ body }) =>
        run<z.input<typeof writtenQuery>>(
          '/input',
          'publishDraft',
          body.id,
          versioned(body.expectedVersion),
          body.revision,
        ),
    }),
    defineRoute({
      ...shared,
      method: 'POST',
      path: '/api/builder/UnpublishQuery',
      summary: 'Take a query from its readers and keep it as a draft',
      body: z.strictObject({ query: queryRef, expectedVersion: version.optional() }),
      responses: answered(shapes.draft),
      examples: { body: { 'one query': { query: '/shop/orders@openOrders' } } },
      handle: ({ body, caller }) =>
        run<z.input<typeof shapes.draft>>(
          '',
          'unpublishQuery',
          body.query,
          caller.email ?? caller.subject,
          versioned(body.expectedVersion),
        ),
    }),
  ];
}

function projectRoutes(call: CallBuilder): Route[] {
  const run = runnerOf(call);
  return [
    defineRoute({
      ...shared,
      method: 'POST',
      path: '/api/builder/NewPage',
      summary: 'Make a page without queries',
      body: shapes.newPage,
      responses: answered(shapes.created),
      examples: {
        body: { 'a page': { pageRef: '/shop/gifts', title: 'Gifts', permission: 'shop.orders.read' } },
      },
      handle: ({ body }) => run<z.input<typeof shapes.created>>('', 'newPage', body),
    }),
    defineRoute({
      ...shared,
      method: 'POST',
      path: '/api/builder/NewResource',
      summary: 'Declare a resource and its model',
      body: shapes.newResource,
      responses: answered(shapes.created),
      examples: {
        body: {
          'rows of its own': {
            name: 'visits',
            title: 'Visits',
            tenantScoped: true,
            fields: [{ name: 'at', type: 'date' }],
          },
        },
      },
      handle: ({ body }) => run<z.input<typeof shapes.created>>('', 'newResource', body),
    }),
    defineRoute({
      ...shared,
      method: 'POST',
      path: '/api/builder/Introspect',
      summary: 'Propose a resource from the newest documents of a collection',
      body: z.strictObject({
        collection: z.string().min(1).max(200).refine(isCollectionName, 'must be the name of a collection'),
        name: z.string().max(64).optional(),
        tenantField: z.string().max(200).optional(),
      }),
      responses: answered(shapes.introspected),
      examples: { body: { 'a collection': { collection: 'crm.invoices', tenantField: 'account.org' } } },
      handle: ({ body }) => run<z.input<typeof shapes.introspected>>('', 'introspect', body),
    }),
  ];
}

const versioned = (given: string | undefined) => (given === undefined ? {} : { expectedVersion: given });
