/** The page host's interface to the rest of the service. */
export { openPageHost, type PageHost } from './supervision/open-page-host';
