/**
 * Blocks in a chain: each carries the hash of the block before it, so a block that is changed, removed or inserted
 * later is detected. The chain proves changes after the fact; it cannot prevent writes by a person with access to the
 * store.
 */
import { canonicalJson, sha256 } from './canonical-json';

export interface ChainLink {
  /** Number of the block, from 1; sorts like the numbers. */
  readonly _id: string;
  /** Hash of the block before; 64 zeros in the first. */
  readonly previous: string;
  readonly hash: string;
}

const firstPrevious = '0'.repeat(64);
const sequenceDigits = 12;

function idAfter(last: ChainLink | null): string {
  return String(last ? Number(last._id) + 1 : 1).padStart(sequenceDigits, '0');
}

function hashOf(link: Pick<ChainLink, '_id' | 'previous'>, content: object): string {
  return sha256(canonicalJson({ _id: link._id, previous: link.previous, ...content }));
}

/** The block after `last` (null: the first) with this content. */
export function sealBlock<C extends object>(last: ChainLink | null, content: C): C & ChainLink {
  const open = { _id: idAfter(last), previous: last?.hash ?? firstPrevious };
  return { ...content, ...open, hash: hashOf(open, content) };
}

/** What is wrong with a block of this content after `last`, in words for people; empty when it is valid. */
export function blockFaults(last: ChainLink | null, block: ChainLink, content: object): string[] {
  const expected = idAfter(last);
  return [
    ...(block._id === expected ? [] : [`block ${block._id}: block ${expected} should be here`]),
    ...(block.previous === (last?.hash ?? firstPrevious)
      ? []
      : [`block ${block._id}: does not continue the block before it`]),
    ...(block.hash === hashOf(block, content) ? [] : [`block ${block._id}: its content is not what was written`]),
  ];
}
