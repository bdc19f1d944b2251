/** The page host as the rest of the service sees it. */
export { openPageHost, type PageHost } from './supervision/open-page-host';
