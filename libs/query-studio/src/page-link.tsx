/** A link to a page as its readers see it, in a new tab. */
export function PageLink({ pageRef, children = 'Open the page' }: { pageRef: string; children?: string }) {
  return (
    <a href={`/dms/pages${pageRef}`} target="_blank" rel="noopener">
      {children}
      <span class="unseen"> {pageRef} in a new tab</span>
    </a>
  );
}
