/** The refusals of the page host, besides those that every service knows. */
import { defineCodes } from '@platform/http-server';
import { accessCodes } from '@platform/workspace-platform/access';

export const pageCodes = defineCodes({
  ...accessCodes,
  query_too_slow: {
    status: 504,
    title: 'Query too slow',
    message: 'The database did not answer within the time limit of this query.',
    nextStep: 'Ask for a shorter period, or have an author add the index that the studio advises.',
  },
  page_not_loaded: {
    status: 503,
    title: 'Page not loaded',
    message: 'The source of this page has an error, and no earlier version of it is loaded.',
    nextStep: 'An author corrects the source. The page is loaded as soon as the file is saved.',
  },
  workspace_required: {
    status: 403,
    title: 'Workspace required',
    message: 'The rows of this query belong to workspaces, and you are a member of none.',
    nextStep: 'Sign in as a member of a workspace.',
  },
});
