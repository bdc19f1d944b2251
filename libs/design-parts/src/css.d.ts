declare module '*.css';

/** For a page that a service draws: the build passes the style sheet as text. */
declare module '@platform/design-parts/style.css' {
  const text: string;
  export default text;
}
