/**
 * A page of the directory. Without a query, each filter has an index. With a query, its rarest word selects candidates
 * by an index, newest first and a bounded number at a time; the other words and the filters are checked on these
 * candidates.
 */
import type { DirectoryQuery, WorkspacePage } from '@platform/contracts-operator';
import type { Filter, RevisionedCollection } from '@platform/mongo';
import { boundedPage, type BoundedPage, type Lane, type Order } from '../../listing/bounded-page';
import { decodeListCursor, encodeListCursor, type ListPosition } from '../../listing/list-cursor';
import { beginningKey, beginsLike, isNear, nearKeys, searchLimits, wordsIn } from '../../mirror/domain/search-keys';
import type { Subscription } from '../../mirror/domain/subscription';

export interface DirectoryPorts {
  readonly subscriptions: Pick<RevisionedCollection<Subscription>, 'find'>;
}

export interface DirectoryPage extends Pick<WorkspacePage, 'found'> {
  readonly workspaces: readonly Subscription[];
  readonly nextCursor?: string;
}

/** Documents read of one lane per page of a search, whatever the number of workspaces. */
const candidates = 200;
/** The limit of each lookup for a misspelled word, which needs at most eleven of them. */
const nearCandidates = 50;

interface Search {
  readonly ports: DirectoryPorts;
  readonly query: DirectoryQuery;
  readonly words: readonly string[];
  readonly after: ListPosition | null;
}

/** Null for a cursor that this list did not give out. Throws StoreUnavailableError. */
export async function listWorkspaces(ports: DirectoryPorts, query: DirectoryQuery): Promise<DirectoryPage | null> {
  const after = query.cursor === undefined ? null : decodeListCursor(query.cursor);
  if (query.cursor !== undefined && !after) return null;
  if (query.query === undefined) {
    const filter = {
      ...(query.plan !== undefined && { planId: query.plan }),
      ...(query.status !== undefined && { status: query.status }),
    };
    const batch = query.limit + 1;
    const page = await pageOf([lane(ports, filter, query.order)], query, after, batch);
    return answer('all', page);
  }
  const words = wordsIn(query.query).slice(0, searchLimits.wordsPerSearch);
  if (words.length === 0) return { found: 'beginning', workspaces: [] };
  return search({ ports, query, words, after });
}

async function search({ ports, query, words, after }: Search): Promise<DirectoryPage | null> {
  const continued = after?.via === undefined ? null : readVia(after.via);
  if (after && (!continued || !words.includes(continued.word))) return null;
  const fits = ({ planId, status }: Subscription) =>
    (query.plan === undefined || planId === query.plan) && (query.status === undefined || status === query.status);
  const near = (word: string) => {
    const lanes = nearKeys(word).map((search) => lane(ports, { search }, query.order));
    return pageOf(lanes, query, after, nearCandidates, (each) => fits(each) && isNear(words, each));
  };
  if (continued?.found === 'near') return answer('near', await near(continued.word), `near:${continued.word}`);
  const beginning = (word: string) =>
    pageOf(
      [lane(ports, { search: beginningKey(word) }, query.order)],
      query,
      after,
      candidates,
      (each) => fits(each) && beginsLike(words, each),
    );
  if (continued) return answer('beginning', await beginning(continued.word), `beginning:${continued.word}`);
  const rarest = await fewest(words, beginning);
  if (rarest.page.rows.length > 0 || rarest.page.next)
    return answer('beginning', rarest.page, `beginning:${rarest.word}`);
  // No name begins with this text, so a misspelling is assumed. The longest word is the most likely to contain it.
  const [longest = ''] = [...words].sort((a, b) => b.length - a.length);
  return answer('near', await near(longest), `near:${longest}`);
}

/** The word that the fewest workspaces have, estimated from one bounded read of each word. */
async function fewest(words: readonly string[], read: (word: string) => Promise<BoundedPage<Subscription>>) {
  const reads = await Promise.all(words.map(async (word) => ({ word, page: await read(word) })));
  return reads.reduce((best, each) => (each.page.read < best.page.read ? each : best));
}

function pageOf(
  lanes: readonly Lane<Subscription>[],
  { order, limit }: DirectoryQuery,
  after: ListPosition | null,
  batch: number,
  keep?: (workspace: Subscription) => boolean,
): Promise<BoundedPage<Subscription>> {
  return boundedPage({
    lanes,
    positionOf: ({ createdAt, _id }) => ({ at: createdAt, id: _id }),
    order,
    after,
    limit,
    batch,
    ...(keep && { keep }),
  });
}

function lane({ subscriptions }: DirectoryPorts, filter: Filter, order: Order): Lane<Subscription> {
  const direction = order === 'newest' ? -1 : 1;
  return (after, limit) =>
    subscriptions.find(filter, {
      sort: { createdAt: direction, _id: direction },
      limit,
      ...(after && { after: [after.at, after.id] }),
    });
}

function answer(found: WorkspacePage['found'], page: BoundedPage<Subscription>, via?: string): DirectoryPage {
  const next = page.next && encodeListCursor({ ...page.next, ...(via !== undefined && { via }) });
  return { found, workspaces: page.rows, ...(next !== undefined && { nextCursor: next }) };
}

function readVia(via: string): { readonly found: 'beginning' | 'near'; readonly word: string } | null {
  const [found, word] = via.split(':');
  return (found === 'beginning' || found === 'near') && word !== undefined ? { found, word } : null;
}
