declare module 'write-good' {
  interface Suggestion {
    readonly index: number;
    readonly offset: number;
    readonly reason: string;
  }
  /** Checks that are set to false are left out. */
  export default function writeGood(text: string, checks?: Readonly<Record<string, boolean>>): Suggestion[];
}
