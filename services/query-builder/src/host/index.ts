/** The page host as the rest of the service sees it. */
export { openPageHost } from './supervision/open-page-host';
