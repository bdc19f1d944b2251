/**
 * Whether the page project loads: a state and counts for every client; for people who may author pages also what does
 * not load, with file and line. Other clients learn no file names and no content (SEC-20).
 */
import { defineRoute, reply, type Route } from '@platform/http-server';
import { z } from 'zod';
import type { PageHealth } from '../host/supervision/messages';

const state = z.strictObject({
  status: z.enum(['ok', 'degraded']),
  pages: z.int(),
  loadedAt: z.string(),
  reloads: z.int(),
});
const summary = state.extend({ problemCount: z.int() });
const details = state.extend({
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

/** The state of the pages, for every client and for authors. */
export function pageHealthRoutes(read: () => PageHealth): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/api/builder/health',
      policy: 'public',
      summary: 'How many pages are served, and how many do not load',
      responses: { 200: summary },
      errors: [],
      handle: async () => {
        const { status, pages, loadedAt, reloads, problems } = read();
        return reply(200, { status, pages, loadedAt, reloads, problemCount: problems.length });
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/api/builder/problems',
      policy: 'platform_owner',
      summary: 'Pages that are served, and pages that do not load, with file and line',
      responses: { 200: details },
      errors: [],
      handle: async () => reply(200, read()),
    }),
  ];
}
