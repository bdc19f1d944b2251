/** Refusals for people: the status and text of the problem document, as a page that a service draws. */
import type { FastifyInstance } from 'fastify';
import { problemContentType, type ProblemDocument } from '../problem';
import type { HttpServerOptions } from './options';

/** Whether a request prefers HTML, as browsers do when they navigate. */
function prefersHtml(accept: unknown): boolean {
  return typeof accept === 'string' && /^\s*text\/html\b/.test(accept);
}

/** Replaces problem documents by pages in responses to a person's browser. */
export function showProblems(app: FastifyInstance, problemPage: NonNullable<HttpServerOptions['problemPage']>): void {
  app.addHook('onSend', async (request, response, payload) => {
    const isProblem = String(response.getHeader('content-type') ?? '').startsWith(problemContentType);
    if (!isProblem || typeof payload !== 'string' || !prefersHtml(request.headers.accept)) return payload;
    const page = problemPage(JSON.parse(payload) as ProblemDocument, request.url.split('?', 1)[0]!);
    if (!page) return payload;
    void response.type('text/html; charset=utf-8').headers({ ...page.headers });
    return page.html;
  });
}
