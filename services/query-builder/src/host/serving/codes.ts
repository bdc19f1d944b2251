/** The refusals of the page host, besides those that every service knows. */
import { defineCodes } from '@platform/http-server';
import { accessCodes } from '@platform/workspace-platform/access';

export const pageCodes = defineCodes({
  ...accessCodes,
  query_too_slow: {
    status: 504,
    title: 'Query too slow',
    message: 'The database did not answer within the time limit of a page query.',
  },
  page_not_loaded: {
    status: 503,
    title: 'Page not loaded',
    message: 'The source of this page has a mistake and no earlier version of it is loaded.',
  },
  workspace_required: {
    status: 403,
    title: 'Workspace required',
    message: 'The rows of this query belong to workspaces, and the caller is in none.',
  },
});
