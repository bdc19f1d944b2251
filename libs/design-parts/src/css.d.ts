declare module '*.css';

/** For a page that a service draws: the build hands the text over. */
declare module '@platform/design-parts/style.css' {
  const text: string;
  export default text;
}
