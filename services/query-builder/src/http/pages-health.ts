/** What of the page project does not load, as an address that needs no token. */
import { defineRoute, reply, type Route } from '@platform/http-server';
import { z } from 'zod';
import type { PageHealth } from '../host/supervision/messages';

const health = z.strictObject({
  status: z.enum(['ok', 'degraded']),
  pages: z.int(),
  loadedAt: z.string(),
  reloads: z.int(),
  failure: z.string().optional(),
  problems: z.array(
    z.strictObject({
      pageRef: z.string(),
      file: z.string(),
      line: z.int(),
      message: z.string(),
      serving: z.enum(['last_good_version', 'nothing']),
    }),
  ),
});

/** What of the page project does not load, with file and line. */
export function pageHealthRoute(read: () => PageHealth): Route {
  return defineRoute({
    method: 'GET',
    path: '/api/builder/health',
    policy: 'public',
    summary: 'Pages that are served, and pages that do not load',
    responses: { 200: health },
    errors: [],
    handle: async () => reply(200, read()),
  });
}
