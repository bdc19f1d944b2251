/** The page host as the rest of the service sees it. */
export { openPageHost, type PageHost, type PageHostOptions } from './supervision/open-page-host';
export type { PageHealth } from './supervision/messages';
