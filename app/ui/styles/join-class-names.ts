/** Joins the class names, skipping absent ones. */
export function joinClassNames(...names: (string | false | undefined)[]): string {
  return names.filter(Boolean).join(' ')
}
