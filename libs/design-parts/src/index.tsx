/** The design parts that all pages share. */
export { screenPlace, type BrowserSession } from './browser-session';
export { createSession, SignedInAs, SkipLink, type SignOut } from './frame';
export { useDocumentTitle, useFocusKept, useFocusWhenClosed, useFocusWhenShown, useHeadingFocus } from './focus';
export { Kept } from './kept';
export { Login } from './login';
export { useOneAtATime } from './one-at-a-time';
export {
  CommandLine,
  Copy,
  Empty,
  Fact,
  Head,
  Id,
  Instant,
  ProblemBox,
  Sentence,
  Shown,
  Table,
  title,
  words,
} from './parts';
export { saveAs, saveCsv } from './save-as';
export { useSignIn } from './sign-in';
export { LiveMark, personOf, tokenPlace, useLive, type Live, type Reading } from './session';
export { colour, Theme } from './theme';
export { useUnderWay } from './under-way';
